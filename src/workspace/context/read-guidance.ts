import { lstat } from "node:fs/promises";
import { join } from "node:path";
import { isExpectedError } from "../../base/north-error.js";
import type { Workspace } from "../../plugin/workspace.js";
import { openRegularFile, type OpenFile } from "../open-file.js";
import { looksSecret } from "../secrets.js";

export interface GuidanceText {
    readonly text: string;
    readonly truncated: boolean;
}

export interface GuidanceSource {
    readonly workspace: Pick<Workspace, "root" | "isIgnored">;
    onRefused?(path: string, reason: string): void;
}

/**
 * Reads the beginning of a text that is written for assistants. It is sent without a question, so
 * that a repository must not pass off anything else as such a text: `undefined` for a link, for what
 * is ignored, secret or outside, and where there is nothing.
 */
export async function readGuidance(
    { workspace, onRefused }: GuidanceSource,
    path: string,
    maxBytes: number
): Promise<GuidanceText | undefined> {
    // Nearly always there is nothing, and this is the cheapest way to see that.
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
    if (looksSecret(path)) return "it looks like a secret";
    if (await workspace.isIgnored(path, "file")) return "it is ignored";
    const file = await openRegularFile(workspace.root, path).catch((error: unknown) => {
        if (!isExpectedError(error)) throw error;
        return error.code === "outside-repository"
            ? "it leads out of the repository"
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
        // In stream mode an incomplete last character is left out.
        const text = new TextDecoder().decode(bytes, { stream: true }).trim();
        if (text === "" || text.includes("\0")) return undefined;
        return { text, truncated: bytesRead > maxBytes };
    } catch {
        return undefined;
    } finally {
        await file.handle.close();
    }
}
