import { constants } from "node:fs";
import { lstat, open } from "node:fs/promises";
import path from "node:path";
import { NorthError } from "../../base/north-error.js";
import { sweepTemporaryFiles, writeFileAtomically } from "../files/atomic-file.js";
import { formatJson, type JsonRecord, parseJson } from "../files/json-file.js";
import { errorCode, ifAbsent, isAbsent } from "../../base/system-error.js";

const MAX_BYTES = 1024 * 1024;

/** Ignores everything not meant to be shared. */
const GIT_IGNORE = `*
!agents/
!agents/**
!commands/
!commands/**
!skills/
!skills/**
!rules/
!rules/**
!hooks.json
!memory.json
`;

export type NorthFile =
    | { readonly kind: "absent" }
    | { readonly kind: "corrupt"; readonly reason: string }
    | { readonly kind: "value"; readonly value: JsonRecord }
    /** A link, device or similar: neither read nor written. */
    | { readonly kind: "unsafe"; readonly reason: string };

export function northFilePath(root: string, name: string): string {
    return path.join(root, ".north", name);
}

/** Reads a file in `.north/`; refuses links, wherever they lead. */
export async function readNorthFile(root: string, name: string): Promise<NorthFile> {
    const folder = await folderState(root);
    if (folder.kind === "unsafe") return folder;
    if (folder.kind === "absent") return { kind: "absent" };
    try {
        return await readRegularFile(northFilePath(root, name));
    } catch (error) {
        if (isAbsent(error)) return { kind: "absent" };
        if (errorCode(error) === "ELOOP") return { kind: "unsafe", reason: "it is a link" };
        throw error;
    }
}

export async function sweepNorthFolder(root: string): Promise<void> {
    if ((await folderState(root)).kind !== "safe") return;
    await sweepTemporaryFiles(path.join(root, ".north"));
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
    await writeGitIgnore(root);
    await replaceNorthFile(root, name, write);
}

/** Written first: if we were killed in between, nothing would create it later. */
async function writeGitIgnore(root: string): Promise<void> {
    const name = ".gitignore";
    const file = northFilePath(root, name);
    const status = await lstat(file).catch(() => undefined);
    if (status === undefined) {
        await replaceNorthFile(root, name, { content: GIT_IGNORE, durable: false });
    }
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
    const folder = await folderState(root);
    if (folder.kind === "unsafe") throw unsafeError(path.dirname(file), folder.reason);
    const status = await ifAbsent(lstat(file), undefined);
    if (status && !status.isFile()) throw unsafeError(file, "it is not a regular file");
}

export function unsafeError(file: string, reason: string): NorthError {
    return new NorthError("unsafe-grants-file", `North does not use ${file}: ${reason}.`, [
        "Delete it; North then creates its own.",
    ]);
}

type FolderState =
    { readonly kind: "absent" | "safe" } | { readonly kind: "unsafe"; readonly reason: string };

async function folderState(root: string): Promise<FolderState> {
    const status = await ifAbsent(lstat(path.join(root, ".north")), undefined);
    if (!status) return { kind: "absent" };
    if (status.isSymbolicLink()) return { kind: "unsafe", reason: "`.north` is a link" };
    return status.isDirectory()
        ? { kind: "safe" }
        : { kind: "unsafe", reason: "`.north` is not a folder" };
}
