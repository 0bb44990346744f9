import path from "node:path";
import type { Contribution } from "../../plugin/index.js";
import { hasGuideFolder, openGuides } from "../guides/open-guides.js";
import { skillKind } from "./find-skills.js";
import { listSkills, useSkill } from "./list-skills.js";
import { skillTool } from "./skill-tool.js";

const INTRODUCTION = [
    "# Skills",
    "Instructions for kinds of tasks. When a task fits a description, read that skill with the tool `skill` before you begin.",
].join("\n\n");

export async function skillsContribution({
    root,
    configFolder,
    home,
}: {
    readonly root?: string | undefined;
    readonly configFolder?: string | undefined;
    readonly home: string;
}): Promise<Pick<Contribution, "tools" | "slashCommands" | "contextSources">> {
    if (root === undefined) return {};
    const own = configFolder === undefined ? [] : [path.join(configFolder, "skills")];
    const kind = skillKind([...own, path.join(home, ".agents", "skills")], home);
    const { find, source } = openGuides(kind, {
        introduction: INTRODUCTION,
        isTold: ({ isHiddenFromModels }) => !isHiddenFromModels,
    });
    if (!(await hasGuideFolder(root, kind))) return { slashCommands: [listSkills(find)] };
    return {
        tools: [skillTool(find)],
        slashCommands: [listSkills(find), useSkill(find)],
        contextSources: [source],
    };
}
