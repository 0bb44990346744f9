import path from "node:path";
import { NorthError } from "../../base/north-error.js";
import { createChangeApplier } from "../../workspace/apply/apply-change-set.js";
import { currentFile } from "../../workspace/current-file.js";
import { resolveInside } from "../../workspace/safe-path.js";

const BEGIN = "<!-- north learn: begin -->";
const END = "<!-- north learn: end -->";

/**
 * Plans to write a project's profile to one of its files, whose other text stays. Rejects
 * where nothing can be written; its `apply` with `changed-since`.
 */
export async function planProfileFile(root: string, file: string, profile: string) {
    const { path: shown } = await resolveInside(root, path.resolve(file));
    const current = await currentFile(root, shown);
    const before = current && Buffer.from(current.bytes);
    // One character for each byte: the file's other text may not be UTF-8.
    const inBytes = (text: string) => Buffer.from(text).toString("latin1");
    const text = withProfile(before?.toString("latin1") ?? "", inBytes(profile));
    const change = {
        ...{ path: shown, before, beforeHash: current && current.hash },
        after: Buffer.from(text, "latin1"),
    };
    const isSame = before !== null && change.after.equals(before);
    const applier = createChangeApplier({ root });
    const changeSet = await applier.resolve({ changes: isSame ? [] : [change] });
    return {
        file: shown,
        changeSet,
        async apply(): Promise<void> {
            const { kind } = await applier.apply(changeSet);
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
