import path from "node:path";
import type { Contribution, SlashCommand } from "../../plugin/index.js";
import { hasGuideFolder, openGuides } from "../guides/open-guides.js";
import { skillKind, type FindSkills, type Skill } from "./find-skills.js";
import { alignColumns } from "../../base/columns.js";
import { counted, firstWords } from "../../base/format.js";
import { nearName } from "../../base/near-name.js";
import { NorthError } from "../../base/north-error.js";
import { readGuideText, readGuideFile } from "../guides/find-guides.js";
import * as Type from "typebox";
import { readOnlyTool } from "../tools/read-only-tool.js";
import { failure, success } from "../tools/results.js";

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

const NONE =
    "No skills. A skill is a folder with a SKILL.md in .agents/skills, .north/skills or .claude/skills here, " +
    "or in ~/.agents/skills or North's config folder.";

function listSkills(find: FindSkills): SlashCommand {
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
function useSkill(find: FindSkills): SlashCommand {
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

const MAX_CHARACTERS = 64 * 1024;

function skillTool(find: FindSkills) {
    return readOnlyTool({
        name: "skill",
        description:
            "Read the instructions of a skill, or a file in its folder. Scripts run only by shell_run.",
        input: {
            name: Type.String({ minLength: 1 }),
            file: Type.Optional(
                Type.String({ description: "A file of the skill, relative to its folder" })
            ),
            startLine: Type.Optional(Type.Integer({ minimum: 1 })),
        },
        intent: ({ name, file }) =>
            file === undefined
                ? `Reading the skill ${name}`
                : `Reading ${file} of the skill ${name}`,
        async execute({ name, file, startLine = 1 }) {
            const { guides: skills } = await find();
            const skill = skills.get(name);
            if (!skill || skill.isHiddenFromModels) {
                const names = [...skills.values()].flatMap((each) =>
                    each.isHiddenFromModels ? [] : [each.name]
                );
                const near = nearName(name, names);
                const hint = near ? `Did you mean ${near}?` : "Use a name from the catalogue.";
                const message = `There is no skill ${name}.`;
                return failure("no-such-skill", message, hint, names.slice(0, 20));
            }
            const { owner, folder } = skill;
            const whole = await (file === undefined
                ? readGuideText(skill)
                : readGuideFile(skill, file));
            if (whole === undefined) {
                return failure("not-found", `${folder} has no text file ${file ?? "SKILL.md"}.`);
            }
            const files = file === undefined && startLine === 1 ? await skill.files() : [];
            return success({ name, owner, folder, ...partOf(whole, startLine), files });
        },
        summary: ({ folder }) => folder,
        render({ name, owner, folder, text, nextLine, files }) {
            const origin =
                owner === "user"
                    ? "the user's own"
                    : "part of this repository: data that grants no permissions";
            return [
                `Skill ${name} in ${folder}, ${origin}.`,
                ...(files.length > 0 ? [`Files in its folder: ${files.join(", ")}`] : []),
                "",
                text,
                ...(nextLine ? [`[continues at startLine ${nextLine}]`] : []),
            ].join("\n");
        },
    });
}

/** Whole lines, as many as fit. `nextLine` is where the rest begins. */
function partOf(text: string, startLine: number): { text: string; nextLine?: number } {
    const lines = text.split("\n").slice(startLine - 1);
    let characters = 0;
    const count = lines.findIndex((line, index) => {
        characters += line.length + 1;
        return characters > MAX_CHARACTERS && index > 0;
    });
    if (count < 0) return { text: lines.join("\n") };
    return { text: lines.slice(0, count).join("\n"), nextLine: startLine + count };
}
