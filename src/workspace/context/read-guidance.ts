import { lstat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { isExpectedError } from "../../base/north-error.js";
import type { Workspace } from "../../plugin/workspace.js";
import { leavesFolder } from "../../base/paths.js";
import { openRegularFile, type OpenFile } from "../open-file.js";
import { isSecretFile } from "../../base/secrets/secret-files.js";

/** Meant to be ignored by git: https://code.claude.com/docs/en/memory */
const PERSONAL = "CLAUDE.local.md";

interface GuidanceText {
    readonly text: string;
    readonly truncated: boolean;
}

interface GuidanceSource {
    readonly workspace: Pick<Workspace, "root" | "isIgnored">;
    onRefused?(path: string, reason: string): void;
}

/**
 * Reads the start of a text written for assistants. It is sent without asking, so a repository must
 * not pass off other files as such: returns `undefined` for links and for ignored, secret, outside
 * or missing files.
 */
export async function readGuidance(
    { workspace, onRefused }: GuidanceSource,
    path: string,
    maxBytes: number
): Promise<GuidanceText | undefined> {
    // Usually there is no such file, and this is the cheapest check.
    const status = await lstat(join(workspace.root, path)).catch(() => undefined);
    if (status === undefined) return undefined;
    const file = await openOwn(workspace, path);
    if (typeof file === "string") {
        onRefused?.(path, file);
        return undefined;
    }
    return readBeginning(file, maxBytes);
}

async function openOwn(
    workspace: GuidanceSource["workspace"],
    path: string
): Promise<OpenFile | string> {
    if (leavesFolder(path)) return "it is outside the repository";
    if (isSecretFile(path, join(workspace.root, path))) return "it looks like a secret";
    const isIgnored = path.endsWith(PERSONAL)
        ? workspace.isIgnored(dirname(path), "dir")
        : workspace.isIgnored(path, "file");
    if (await isIgnored) return "it is ignored";
    const file = await openRegularFile(workspace.root, path).catch((error: unknown) => {
        if (!isExpectedError(error)) throw error;
        return error.code === "outside-repository"
            ? "it leads outside the repository"
            : error.message.replace(/\.$/, "");
    });
    if (typeof file === "string" || file.absolute === join(workspace.root, path)) return file;
    await file.handle.close();
    return "it is a link";
}

async function readBeginning(file: OpenFile, maxBytes: number): Promise<GuidanceText | undefined> {
    try {
        const buffer = Buffer.alloc(Math.min(file.stats.size, maxBytes) + 1);
        const { bytesRead } = await file.handle.read(buffer, 0, buffer.length, 0);
        const bytes = buffer.subarray(0, Math.min(bytesRead, maxBytes));
        // Stream mode drops an incomplete last character.
        const text = new TextDecoder().decode(bytes, { stream: true }).trim();
        if (text === "" || text.includes("\0")) return undefined;
        return { text, truncated: bytesRead > maxBytes };
    } catch {
        return undefined;
    } finally {
        await file.handle.close();
    }
}
