import { createHash } from "node:crypto";
import { existsSync, mkdtempSync, readdirSync, readFileSync, realpathSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import type { ChangeSet, FileChange } from "../../../src/plugin/index.js";

export { journalIn } from "../../../src/host/project/apply-journal.js";

export function temporaryFolder(): string {
    return realpathSync(mkdtempSync(path.join(tmpdir(), "north-apply-")));
}

export function hashOf(content: string | Uint8Array): string {
    return createHash("sha256").update(content).digest("hex");
}

/** A change of a file from one text to another; `null` stands for no file. */
export function change(file: string, before: string | null, after: string | null): FileChange {
    return {
        path: file,
        before: before === null ? null : Buffer.from(before),
        beforeHash: before === null ? null : hashOf(before),
        after: after === null ? null : Buffer.from(after),
    };
}

export function changeSet(...changes: FileChange[]): ChangeSet {
    return { changes };
}

/** Every file below a folder with its content, so that "nothing else changed" is one comparison. */
export function snapshot(folder: string): Record<string, string> {
    const found: Record<string, string> = {};
    for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
        const absolute = path.join(entry.parentPath, entry.name);
        const relative = path.relative(folder, absolute);
        found[relative] = entry.isFile()
            ? readFileSync(absolute, "latin1")
            : entry.isDirectory()
              ? "<folder>"
              : "<other>";
    }
    return found;
}

export function readText(folder: string, file: string): string | null {
    const absolute = path.join(folder, file);
    return existsSync(absolute) ? readFileSync(absolute, "utf8") : null;
}

/** Runs work as a user without rights, where the tests run as root. */
export async function withoutPrivileges<Result>(work: () => Promise<Result>): Promise<Result> {
    if (process.geteuid?.() !== 0 || process.seteuid === undefined) return work();

    process.seteuid(65534);
    try {
        return await work();
    } finally {
        process.seteuid(0);
    }
}
