import { requireTerminal } from "../chat/questions/ask-in-terminal.js";
import type { Asking } from "./operations/undo-conversation.js";
import type { Learned } from "../plugin/index.js";
import { NorthError } from "../base/north-error.js";
import { formatUsd } from "../base/format.js";
import type { NorthDirectories } from "../storage/files/directories.js";
import { profileFile, readProfile, removeProfile } from "../storage/profile.js";
import { findRoot } from "../workspace/find-root.js";

interface ProfileOptions {
    readonly directories: NorthDirectories;
    /** A folder in the repository. */
    readonly path: string;
}

/** The profile of a repository. Rejects with `nothing-learned` if there is none. */
export async function shownProfile({ directories: { data }, path }: ProfileOptions) {
    const { root } = await findRoot(path);
    const profile = await readProfile(data, root);
    if (profile === undefined) {
        throw new NorthError("nothing-learned", `There is no profile of ${root} yet.`, [
            "Run `north learn`.",
        ]);
    }
    return { root, file: profileFile(data, root), profile };
}

/**
 * Whether a profile must be learned before it goes into a file. Rejects if it could not be written
 * there anyway, since learning costs minutes and money.
 */
export async function mustLearnFirst(
    file: string,
    { directories: { data }, path }: ProfileOptions,
    force: boolean
): Promise<boolean> {
    const { root } = await findRoot(path);
    if ((await readProfile(data, root)) !== undefined) return false;
    const { planProfileFile } = await import("./operations/write-profile.js");
    await planProfileFile(root, file, "");
    if (!force) requireTerminal();
    return true;
}

/** Puts the profile into a file of the repository, after a review. Rejects like `shownProfile`. */
export async function writeProfileTo(file: string, place: ProfileOptions, asking: Asking) {
    const { root, profile } = await shownProfile(place);
    const { planProfileFile } = await import("./operations/write-profile.js");
    const { applyConfirmed } = await import("./operations/undo-conversation.js");
    const { file: shown, ...planned } = await planProfileFile(root, file, profile);
    if (planned.changeSet.changes.length === 0) {
        return { file: shown, applied: false, text: `${shown} has this profile already.` };
    }
    const applied = await applyConfirmed(planned, `Write the profile to ${shown}`, asking);
    // Otherwise each conversation would start with it twice.
    const text = `The profile is in ${shown}. \`north learn --forget\` deletes North's own copy, so that no conversation reads it twice.`;
    return { file: shown, applied, text: applied ? text : "Nothing changed." };
}

export async function forgetProfile({ directories: { data }, path }: ProfileOptions) {
    const { root } = await findRoot(path);
    return { root, forgotten: await removeProfile(data, root) };
}

export function learnedText({ file, learned, failed, costUsd }: Learned): string {
    const cost = costUsd === null ? "at an unknown price" : `for ${formatUsd(costUsd)}`;
    const count = `${learned.length} of ${learned.length + failed.length} topics`;
    const rest =
        failed.length > 0 && learned.length > 0 ? " The other sections did not change." : "";
    return `${count} learned ${cost}: ${file}.${rest}`;
}
