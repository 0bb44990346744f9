import { alignColumns } from "../../base/columns.js";
import { counted, firstWords } from "../../base/format.js";
import type { SlashCommand } from "../../plugin/index.js";
import type { FindSkills, Skill } from "./find-skills.js";

const NONE =
    "No skills. A skill is a folder with a SKILL.md in .agents/skills, .north/skills or .claude/skills here, " +
    "or in ~/.agents/skills or North's config folder.";

export function listSkills(find: FindSkills): SlashCommand {
    return {
        name: "skills",
        description: "List skills, their origin, and whether their scripts are trusted.",
        usage: "/skills",
        onlyShows: true,
        async run(_argumentsText, { screen }) {
            const { skills: found, problems } = await find();
            const skills = [...found.values()];
            if (skills.length + problems.length === 0) return screen.print(NONE);
            const rows = await Promise.all(skills.map(rowOf));
            const left =
                problems.length > 0 ? ["", "Skipped", ...problems.map((line) => `  ${line}`)] : [];
            screen.print(["Skills", ...alignColumns(rows), ...left].join("\n"));
        },
    };
}

async function rowOf({ name, owner, folder, description, files }: Skill): Promise<string[]> {
    const scripts = (await files()).filter((file) => file.startsWith("scripts/")).length;
    const trust =
        scripts === 0 ? "no scripts" : `${counted(scripts, "script")}, North asks before each run`;
    const origin = owner === "user" ? "yours" : "repository's";
    return [`  ${name}`, origin, folder, trust, firstWords(description)];
}
