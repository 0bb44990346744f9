import { lstat } from "node:fs/promises";
import path from "node:path";
import type { ContextRequest, ContextSource, Contribution } from "../../plugin/index.js";
import { catalogue } from "./catalogue.js";
import {
    findSkills,
    type FoundSkills,
    PROJECT_FOLDERS,
    type SkillFolders,
    type SkillShelf,
} from "./find-skills.js";
import { listSkills } from "./list-skills.js";
import { skillTool } from "./skill-tool.js";

export interface SkillsOptions {
    readonly root?: string | undefined;
    readonly configFolder?: string | undefined;
    readonly home: string;
}

/** What lets a model use skills; nothing where no folder holds any. */
export async function skillsContribution({
    root,
    configFolder,
    home,
}: SkillsOptions): Promise<Pick<Contribution, "tools" | "slashCommands" | "contextSources">> {
    if (root === undefined) return {};
    const own = configFolder === undefined ? [] : [path.join(configFolder, "skills")];
    const user = [...own, path.join(home, ".agents", "skills")];
    const places = [...PROJECT_FOLDERS.map((folder) => path.join(root, folder)), ...user];
    const there = await Promise.all(places.map((place) => lstat(place).catch(() => undefined)));
    if (there.every((status) => status === undefined)) return { slashCommands: [listSkills()] };
    const { shelf, source } = openShelf({ user, home });
    return {
        tools: [skillTool(shelf)],
        slashCommands: [listSkills(shelf)],
        contextSources: [source],
    };
}

type Place = Pick<ContextRequest, "workspace" | "guidance">;

function openShelf(folders: SkillFolders): {
    readonly shelf: SkillShelf;
    readonly source: ContextSource;
} {
    const nothing: FoundSkills = { skills: new Map(), problems: [] };
    let place: Place | undefined;
    let prepared: Promise<FoundSkills> | undefined;
    const look = (from: Place) => {
        place = from;
        return findSkills(from, folders);
    };
    return {
        shelf: { find: async () => (place ? look(place) : nothing) },
        source: {
            name: "skills",
            prepare(request) {
                prepared = look(request);
                // The first message meets the same failure.
                prepared.catch(() => {});
            },
            async begin(request) {
                const finding = prepared ?? look(request);
                prepared = undefined;
                return catalogue(await finding);
            },
        },
    };
}
