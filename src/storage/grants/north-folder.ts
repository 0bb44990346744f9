import { constants } from "node:fs";
import { lstat, open } from "node:fs/promises";
import path from "node:path";
import { NorthError } from "../../base/north-error.js";
import { sweepTemporaryFiles, writeFileAtomically } from "../files/atomic-file.js";
import { formatJson, type JsonRecord, parseJson } from "../files/json-file.js";
import { ifAbsent, isAbsent, isSystemError, systemErrorText } from "../../base/system-error.js";

const MAX_BYTES = 1024 * 1024;

/** Ignores everything not meant to be shared. */
const GIT_IGNORE = `*
!agents/
!agents/**
!commands/
!commands/**
!skills/
!skills/**
!hooks.json
!memory.json
`;

export type NorthFile =
    | { readonly kind: "absent" }
    | { readonly kind: "corrupt"; readonly reason: string }
    | { readonly kind: "value"; readonly value: JsonRecord }
    /** A link, a device, unreadable or similar: neither read nor written. */
    | { readonly kind: "unsafe"; readonly reason: string };

export function northFilePath(root: string, name: string): string {
    return path.join(root, ".north", name);
}

/** Reads a file in `.north/`; refuses links, wherever they lead. */
export async function readNorthFile(root: string, name: string): Promise<NorthFile> {
    const problem = await folderProblem(root);
    if (problem !== undefined) return { kind: "unsafe", reason: problem };
    try {
        return await readRegularFile(northFilePath(root, name));
    } catch (error) {
        if (isAbsent(error)) return { kind: "absent" };
        if (!isSystemError(error)) throw error;
        const isLink = error.code === "ELOOP";
        const reason = isLink ? "it is a link" : `it cannot be read (${systemErrorText(error)})`;
        return { kind: "unsafe", reason };
    }
}

export async function sweepNorthFolder(root: string): Promise<void> {
    if ((await folderProblem(root)) !== undefined) return;
    await ifAbsent(sweepTemporaryFiles(path.join(root, ".north")), undefined);
}

async function readRegularFile(file: string): Promise<NorthFile> {
    // O_NONBLOCK: opening a FIFO would otherwise block until someone writes to it.
    const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
    const handle = await open(file, flags);
    try {
        const status = await handle.stat();
        if (!status.isFile()) return { kind: "unsafe", reason: "it is not a regular file" };
        if (status.size > MAX_BYTES) return { kind: "unsafe", reason: "it is too large" };
        return parseJson(await handle.readFile("utf8"));
    } finally {
        await handle.close();
    }
}

interface NorthFileWrite {
    readonly content: JsonRecord | string;
    readonly assertHeld?: () => Promise<void>;
    /** False for content that can be regenerated; skips fsync. */
    readonly durable?: boolean;
}

/** Replaces a file in `.north/`; rejects with `unsafe-grants-file` rather than follow a link. */
export async function writeNorthFile(
    root: string,
    name: string,
    write: NorthFileWrite
): Promise<void> {
    // First: if we were killed in between, nothing would create it later.
    if (!(await lstat(northFilePath(root, ".gitignore")).catch(() => undefined))) {
        await replaceNorthFile(root, ".gitignore", { content: GIT_IGNORE, durable: false });
    }
    await replaceNorthFile(root, name, write);
}

async function replaceNorthFile(
    root: string,
    name: string,
    { content, assertHeld, durable = true }: NorthFileWrite
): Promise<void> {
    const file = northFilePath(root, name);
    await assertSafe(root, file);
    await writeFileAtomically(file, typeof content === "string" ? content : formatJson(content), {
        mode: 0o644,
        folderMode: 0o755,
        durable,
        async beforeReplace() {
            await assertHeld?.();
            await assertSafe(root, file);
        },
    });
}

async function assertSafe(root: string, file: string): Promise<void> {
    const problem = await folderProblem(root);
    if (problem !== undefined) throw unsafeError(path.dirname(file), problem);
    const status = await ifAbsent(lstat(file), undefined);
    if (status && !status.isFile()) throw unsafeError(file, "it is not a regular file");
}

export function unsafeError(file: string, reason: string): NorthError {
    return new NorthError("unsafe-grants-file", `North does not use ${file}: ${reason}.`, [
        "Delete it; North then creates its own.",
    ]);
}

/** Why `.north` is neither absent nor a folder. */
async function folderProblem(root: string): Promise<string | undefined> {
    const status = await ifAbsent(lstat(path.join(root, ".north")), undefined);
    if (status?.isSymbolicLink()) return "`.north` is a link";
    return !status || status.isDirectory() ? undefined : "`.north` is not a folder";
}
