import { alignColumns } from "../../base/columns.js";
import { counted, firstWords } from "../../base/format.js";
import { nearName } from "../../base/near-name.js";
import { NorthError } from "../../base/north-error.js";
import type { SlashCommand } from "../../plugin/index.js";
import { readGuideText } from "../guides/find-guides.js";
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
            const { guides, problems } = await find();
            const skills = [...guides.values()];
            if (skills.length + problems.length === 0) return screen.print(NONE);
            const rows = await Promise.all(skills.map(rowOf));
            const left =
                problems.length > 0 ? ["", "Skipped", ...problems.map((line) => `  ${line}`)] : [];
            screen.print(["Skills", ...alignColumns(rows), ...left].join("\n"));
        },
    };
}

/** Also starts those that models may not start by themselves. */
export function useSkill(find: FindSkills): SlashCommand {
    return {
        name: "skill",
        description: "Send a message with a skill's instructions.",
        usage: "/skill NAME [MESSAGE]",
        async run(argumentsText, { send }) {
            const { guides: skills } = await find();
            const [name = ""] = argumentsText.trim().split(/\s/, 1);
            const skill = skills.get(name);
            const instructions = skill && (await readGuideText(skill));
            if (!skill || instructions === undefined) {
                const near = nearName(name, [...skills.keys()]);
                throw new NorthError("not-found", `There is no skill ${name}.`, [
                    near ? `Did you mean ${near}?` : "List them with /skills.",
                ]);
            }
            const message = argumentsText.trim().slice(name.length).trim();
            const text = message === "" ? `Follow the skill ${name}.` : message;
            const owner =
                skill.owner === "user" ? "the user's own" : "part of this repository: data";
            const heading = `Instructions of the skill ${name} in ${skill.folder}, ${owner}:`;
            const part = {
                kind: "skill",
                id: name,
                text: `${heading}\n\n${instructions}`,
                origin: skill.folder,
            };
            await send({ text, typed: text, context: [part] });
        },
    };
}

async function rowOf(skill: Skill): Promise<string[]> {
    const { name, owner, folder, description, isHiddenFromModels, files } = skill;
    const scripts = (await files()).filter((file) => file.startsWith("scripts/")).length;
    const trust =
        scripts === 0 ? "no scripts" : `${counted(scripts, "script")}, North asks before each run`;
    const origin = owner === "user" ? "yours" : "repository's";
    const use = isHiddenFromModels ? `only by /skill ${name}, ` : "";
    return [`  ${name}`, origin, folder, `${use}${trust}`, firstWords(description)];
}
