import { NorthError } from "../../base/north-error.js";
import { findRoot, type Root } from "../../workspace/find-root.js";

/** Where a run takes place. */
export interface PlaceOfRun extends Root {
    /** What the user should know about it. */
    readonly notice?: string;
}

/**
 * The root to work in: around `--path`, else where the conversation was held, else around the
 * current folder. A repository that is gone takes no conversation with it.
 */
export async function rootOfRun(
    path: string | undefined,
    recorded: string | undefined,
    current: string
): Promise<PlaceOfRun> {
    if (path !== undefined || recorded === undefined) return findRoot(path ?? current);
    try {
        return await findRoot(recorded);
    } catch {
        const place = await findRoot(current);
        const notice =
            `The repository of this conversation, ${recorded}, is gone. ` +
            `It continues in ${place.root}; --path chooses another folder.`;
        return { ...place, notice };
    }
}

/**
 * What to warn of where a conversation of another root goes on in this one, because its own is gone.
 * Rejects with `other-repository` where it is not gone.
 */
export async function rootWarnings({
    id,
    root,
}: {
    readonly id: string;
    readonly root: string | undefined;
}): Promise<readonly string[]> {
    if (root === undefined) return [];
    const isGone = await findRoot(root).then(
        () => false,
        () => true
    );
    if (isGone) {
        return [`The repository of this conversation, ${root}, is gone. It continues here.`];
    }
    throw new NorthError("other-repository", `Conversation ${id} belongs to ${root}.`, [
        `Quit, and run \`north resume ${id}\`; --path . continues in the current folder.`,
    ]);
}
