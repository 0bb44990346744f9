import type { StateFile } from "../../../base/repository-plan.js";
import type { LayeredGit } from "./layered-git.js";
import { isId } from "./references.js";

const isIds = (text: string) => text.trimEnd().split("\n").every(isId);
const isOneId = (text: string) => isId(text.trimEnd());
const isText = () => true;

/**
 * What git keeps while a merge, a cherry-pick or a revert waits, and what it fetched: ids and
 * messages, which name no program. The steps of a rebase do, so they are not among these.
 */
const FORMS: Readonly<Record<string, (text: string) => boolean>> = {
    MERGE_HEAD: isIds,
    MERGE_MSG: isText,
    MERGE_MODE: (text) => text === "" || text === "no-ff",
    // Of `rerere`: conflicts whose resolutions it waits for.
    MERGE_RR: (text) => text === "",
    AUTO_MERGE: isOneId,
    CHERRY_PICK_HEAD: isOneId,
    REVERT_HEAD: isOneId,
    SQUASH_MSG: isText,
    ORIG_HEAD: isOneId,
    FETCH_HEAD: (text) =>
        text
            .split("\n")
            .every((line) => line === "" || /^[0-9a-f]{40,64}\t[^\t]*\t[^\t]*$/.test(line)),
};
const MAX_LENGTH = 1024 * 1024;

export function isStateFile(name: string): boolean {
    return Object.hasOwn(FORMS, name);
}

/** The files as they were and are; `other` names one that git would not have written. */
export function stateFiles(
    git: LayeredGit,
    names: readonly string[]
): readonly StateFile[] | { readonly other: string } {
    const files: StateFile[] = [];
    for (const name of names) {
        const [before, after] = [git.before(git.own(name)), git.after(git.own(name))];
        const isFit = after === undefined || (after.length <= MAX_LENGTH && FORMS[name]?.(after));
        if (!isFit) return { other: name };
        if (before === after) continue;
        files.push({
            name,
            ...(before !== undefined && { before }),
            ...(after !== undefined && { after }),
        });
    }
    return files;
}

/** The ids that such files name. */
export function idsIn(files: readonly StateFile[]): readonly string[] {
    return files.flatMap(({ name, after = "" }) => {
        if (name === "ORIG_HEAD" || FORMS[name] === isText) return [];
        return after.split("\n").flatMap((line) => {
            const [id = ""] = line.split("\t");
            return isId(id) ? [id] : [];
        });
    });
}
