import { lstat, readdir, realpath } from "node:fs/promises";
import path from "node:path";
import { entriesBelow } from "../../base/entries-below.js";
import type { Guide, GuideKind } from "../guides/find-guides.js";
import type { FindGuides } from "../guides/open-guides.js";

/** Instructions for a kind of task, as defined in https://agentskills.io/specification. */
export interface Skill extends Guide {
    /** Whether only the user may start it, with `/skill NAME`. */
    readonly isHiddenFromModels: boolean;
    /** Returns paths relative to the folder, without `SKILL.md`. */
    files(): Promise<readonly string[]>;
}

export type FindSkills = FindGuides<Skill>;

const FILE = "SKILL.md";
const MAX_FILES = 100;

export function skillKind(userFolders: readonly string[], home: string): GuideKind<Skill> {
    return {
        plural: "skills",
        projectFolders: [
            ...[".north/skills", ".agents/skills", ".claude/skills", ".github/skills"],
            ...[".cursor/skills", ".codex/skills", ".gemini/skills", ".opencode/skills"],
        ],
        ...{ userFolders, home, placesIn },
        placeOf: (folder) => folder,
        toGuide: ({ real, ...guide }, fields) => ({
            ...guide,
            isHiddenFromModels: fields["disable-model-invocation"] === true,
            files: () => filesIn(real),
        }),
    };
}

/** Subfolders that contain a skill. */
async function placesIn(folder: string) {
    const names = (await readdir(folder).catch(() => [])).sort();
    const found = await Promise.all(
        names.map(async (entry) => {
            const real = await realpath(path.join(folder, entry)).catch(() => undefined);
            const file = real && (await lstat(path.join(real, FILE)).catch(() => undefined));
            return file ? { entry, real, file: FILE } : undefined;
        })
    );
    return found.filter((each) => each !== undefined);
}

async function filesIn(folder: string): Promise<readonly string[]> {
    const entries = await entriesBelow(folder);
    return entries
        .filter(({ entry }) => entry.isFile())
        .map((each) => each.path)
        .filter((file) => file !== FILE && !/(^|\/)(\.|node_modules\/)/.test(file))
        .sort()
        .slice(0, MAX_FILES);
}
