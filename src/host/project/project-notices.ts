import { readdir, realpath, stat } from "node:fs/promises";
import path from "node:path";
import type { Project } from "./open-project.js";
import { counted } from "../../base/format.js";
import type { Grants } from "../../core/approval/grants.js";

type StartFolder = Pick<Project, "root" | "isRepository">;

/** Notices about starting outside a repository. */
export async function placeNotices({ root, isRepository }: StartFolder, home?: string) {
    const reason = await untrustedRootReason(root, home);
    if (reason !== undefined) {
        return [`${reason}, so North asks before every edit.`];
    }
    if (isRepository) return [];
    return ["Not a git repository: this folder is the project. /undo works here, too."];
}

/** Why a folder is not the user's own project; `undefined` if it is. */
export async function untrustedRootReason(
    root: string,
    home?: string
): Promise<string | undefined> {
    if (root === path.parse(root).root) return "This is the root of the file system";
    if (await isHome(root, home)) return "This is your home folder";
    const owners = await Promise.all(
        [root, path.join(root, ".git")].map((location) =>
            stat(location).then(
                ({ uid }) => uid,
                () => undefined
            )
        )
    );
    const user = process.getuid?.();
    const isOwn = owners.every((owner) => owner === undefined || owner === user);
    return user === undefined || isOwn ? undefined : `${root} belongs to another user`;
}

/** Whether the folder is a single project with something to learn. */
export async function isWorthLearning({ root }: StartFolder, home?: string): Promise<boolean> {
    const names = await readdir(root);
    if (root === path.parse(root).root || (await isHome(root, home))) return false;
    return names.some((name) => !OWN_FOLDERS.has(name));
}

const OWN_FOLDERS = new Set([".git", ".north"]);

async function isHome(root: string, home?: string): Promise<boolean> {
    if (!home) return false;
    return root === (await realpath(home).catch(() => home));
}

/** Notices about what came with the repository; `command` shows it. */
export async function unconfirmedGrantNotices(
    grants: Pick<Grants, "unconfirmed">,
    command: string
): Promise<readonly string[]> {
    const unconfirmed = (await grants.unconfirmed()).filter(({ isDeclined }) => !isDeclined);
    const notes = unconfirmed.filter(({ path }) => path.endsWith("memory.json")).length;
    const permissions = unconfirmed.length - notes;
    const parts = [
        ...(permissions > 0 ? [counted(permissions, "permission")] : []),
        ...(notes > 0 ? [counted(notes, "note")] : []),
    ];
    if (parts.length === 0) return [];
    const them = unconfirmed.length === 1 ? "it" : "them";
    return [
        `This repository brings ${parts.join(" and ")}, inactive until you allow ${them} with ${command}.`,
    ];
}
