import { homedir } from "node:os";
import path from "node:path";
import { gitConfig } from "../../base/git-config.js";
import { isInside, resolveRealPath } from "../../base/paths.js";

/** Of the settings that name files, those that git needs for a commit or a status; git-config(1). */
const NAMING =
    /^(?:blame\.ignorerevsfile|commit\.template|core\.(?:attributesfile|excludesfile|hookspath)|mailmap\.file)$/;

export interface UserGitPlaces {
    /** The files that the user's settings are in, as far as they count in the project. */
    readonly settings: readonly string[];
    /** What they name. */
    readonly named: readonly string[];
}

/** What git reads because the user's own settings say so; a repository's may name any file. */
export async function userGitPlaces(root: string): Promise<UserGitPlaces> {
    const own = (await gitConfig(root)).filter(({ scope }) => /^(?:global|system)$/.test(scope));
    return {
        settings: [...new Set(own.map(({ file }) => file))],
        named: own.filter(({ key }) => NAMING.test(key)).map(({ value }) => placeOf(root, value)),
    };
}

/** The real folder of git's hooks, if it is outside the project. */
export async function outerHooks(root: string): Promise<string | undefined> {
    const setting = (await gitConfig(root)).findLast(({ key }) => key === "core.hookspath");
    const folder = setting && resolveRealPath(placeOf(root, setting.value));
    return folder === undefined || isInside(root, folder) ? undefined : folder;
}

function placeOf(root: string, value: string): string {
    return path.resolve(root, value.replace(/^~(?=\/)/, homedir()));
}
