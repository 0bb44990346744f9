import path from "node:path";
import { NorthError } from "../../base/north-error.js";
import { readRegularFile } from "../../base/read-regular-file.js";
import { sha256 } from "../../base/sha256.js";
import type { ChangeSet } from "../../plugin/index.js";
import { createChangeApplier } from "../../workspace/apply/apply-change-set.js";
import { resolveInside } from "../../workspace/safe-path.js";

const MAX_BYTES = 4 * 1024 * 1024;
const BEGIN = "<!-- north learn: begin -->";
const END = "<!-- north learn: end -->";

/**
 * Plans to write a project's profile to one of its files, whose other text stays. Its `apply` rejects
 * with `changed-since`.
 */
export async function planProfileFile(root: string, file: string, profile: string) {
    const { path: shown, absolute } = await resolveInside(root, path.resolve(file));
    const read = readRegularFile(absolute, MAX_BYTES, "follow");
    const before = read?.bytes ?? null;
    // One character for each byte: the file's other text may not be UTF-8.
    const inBytes = (text: string) => Buffer.from(text).toString("latin1");
    const text = withProfile(before?.toString("latin1") ?? "", inBytes(profile));
    const change = {
        ...{ path: shown, before, beforeHash: before && sha256(before) },
        after: Buffer.from(text, "latin1"),
    };
    const isSame = before !== null && change.after.equals(before);
    const changeSet: ChangeSet = { changes: isSame ? [] : [change] };
    return {
        file: shown,
        changeSet,
        async apply(): Promise<void> {
            const { kind } = await createChangeApplier({ root }).apply(changeSet);
            if (kind === "applied") return;
            throw new NorthError("changed-since", `${shown} has changed meanwhile.`, [
                "Run the command again.",
            ]);
        },
    };
}

/** Replaces the profile between its marks, or appends it. */
function withProfile(text: string, profile: string): string {
    const block = `${BEGIN}\n\n${profile.trim()}\n\n${END}`;
    const from = text.indexOf(BEGIN);
    const to = from < 0 ? -1 : text.indexOf(END, from);
    if (to >= 0) return text.slice(0, from) + block + text.slice(to + END.length);
    const own = text.replace(/(?<![ \t\r\n])[ \t\r\n]+$/, "");
    return own === "" ? `${block}\n` : `${own}\n\n${block}\n`;
}
