import { realpath } from "node:fs/promises";
import path from "node:path";
import { isFields } from "../../base/fields.js";
import type { FrontMatter } from "../../base/front-matter.js";
import { oneLine } from "../../base/format.js";
import type { AgentInfo } from "../../plugin/index.js";
import type { Guide, GuideKind } from "../guides/find-guides.js";
import { markdownFilesBelow } from "../guides/markdown-files.js";
import type { FindGuides } from "../guides/open-guides.js";

/** A kind of sub-agent, as defined in https://code.claude.com/docs/en/sub-agents. */
export interface Agent extends Guide, Pick<AgentInfo, "model" | "tools" | "withoutTools"> {
    /** Fields and tools without effect, one clause each. */
    readonly ignored: readonly string[];
}

export type FindAgents = FindGuides<Agent>;

/** `color` is for other assistants' screens. */
const KNOWN = new Set(["name", "description", "tools", "disallowedTools", "model", "color"]);
/** A comma within parentheses belongs to a pattern: `Bash(git log, git show)`. */
const TOOL = /[^,()]+(?:\([^()]*\))?/g;

export function agentKind(userFolders: readonly string[], home: string): GuideKind<Agent> {
    return {
        plural: "agents",
        projectFolders: [".north/agents", ".claude/agents"],
        ...{ userFolders, home, placesIn },
        placeOf: path.posix.join,
        toGuide: ({ real: _, ...guide }, fields) => toAgent(guide, fields),
    };
}

/** Markdown files, also in folders below, where other assistants find them too. */
async function placesIn(folder: string) {
    const found = await Promise.all(
        (await markdownFilesBelow(folder)).map(async (entry) => {
            const real = await realpath(path.join(folder, entry)).catch(() => undefined);
            if (real === undefined) return undefined;
            return { entry, real: path.dirname(real), file: path.basename(real) };
        })
    );
    return found.filter((each) => each !== undefined);
}

function toAgent(guide: Guide, fields: FrontMatter["fields"]): Agent | string {
    const { model } = fields;
    const tools = toolNames(fields.tools);
    const without = toolNames(fields.disallowedTools);
    // Security: a limit that cannot be read is not lifted.
    if (tools === "unreadable") return "its `tools` are not a list of names";
    if (without === "unreadable") return "its `disallowedTools` are not a list of names";
    if (model !== undefined && typeof model !== "string") return "its `model` is not a name";
    const patterns = (tools ?? []).filter((name) => name.includes("("));
    const unknown = Object.keys(fields).filter((field) => !KNOWN.has(field));
    const plain = tools?.filter((name) => !name.includes("("));
    return {
        ...guide,
        ...(model !== undefined && { model: oneLine(model) }),
        ...(plain && !plain.includes("*") && { tools: plain }),
        // Without the tool as a whole: North does not compare calls with patterns.
        ...(without && { withoutTools: without.map((name) => name.split("(", 1).join()) }),
        ignored: [
            ...patterns.map((name) => `${name}, because tools cannot be limited to patterns`),
            ...unknown.map((name) => `\`${oneLine(name)}\``),
        ],
    };
}

function toolNames(value: unknown): readonly string[] | "unreadable" | undefined {
    if (value === undefined || value === null) return undefined;
    const texts = Array.isArray(value) ? value : [value];
    if (isFields(value) || !texts.every((text) => typeof text === "string")) return "unreadable";
    return (
        texts
            .flatMap((text) => text.match(TOOL) ?? [])
            // A list that had to be quoted to be read keeps its brackets.
            .map((name) => oneLine(name.replace(/[[\]"']/g, "")).trim())
            .filter((name) => name !== "")
    );
}
