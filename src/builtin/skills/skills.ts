import { lstat } from "node:fs/promises";
import path from "node:path";
import type { ContextSource, Contribution } from "../../plugin/index.js";
import { catalogue } from "./catalogue.js";
import { findSkills, type FoundSkills, type Place, PROJECT_FOLDERS } from "./find-skills.js";
import { listSkills } from "./list-skills.js";
import { skillTool } from "./skill-tool.js";

export interface SkillsOptions {
    readonly root?: string | undefined;
    readonly configFolder?: string | undefined;
    readonly home: string;
}

const NOTHING: FoundSkills = { skills: new Map(), problems: [] };

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
    if (there.every((status) => status === undefined)) {
        return { slashCommands: [listSkills(async () => NOTHING)] };
    }
    let place: Place | undefined;
    let prepared: Promise<FoundSkills> | undefined;
    const look = (from: Place) => {
        place = from;
        return findSkills(from, { user, home });
    };
    const find = async () => (place ? look(place) : NOTHING);
    const source: ContextSource = {
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
    };
    return {
        tools: [skillTool(find)],
        slashCommands: [listSkills(find)],
        contextSources: [source],
    };
}
