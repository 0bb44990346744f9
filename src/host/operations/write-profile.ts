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
    const text = withProfile(before === null ? "" : Buffer.from(before).toString("utf8"), profile);
    const change = {
        ...{ path: shown, before, beforeHash: before && sha256(before) },
        after: Buffer.from(text),
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
export function withProfile(text: string, profile: string): string {
    const block = `${BEGIN}\n\n${profile.trim()}\n\n${END}`;
    const from = text.indexOf(BEGIN);
    const to = from < 0 ? -1 : text.indexOf(END, from);
    if (to >= 0) return text.slice(0, from) + block + text.slice(to + END.length);
    const own = text.trimEnd();
    return own === "" ? `${block}\n` : `${own}\n\n${block}\n`;
}
