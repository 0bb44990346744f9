import path from "node:path";
import type { Contribution, Tool, AgentInfo, AgentList, SlashCommand } from "../../plugin/index.js";
import { findGuides, type FoundGuides } from "../guides/find-guides.js";
import { hasGuideFolder, openGuides } from "../guides/open-guides.js";
import { agentKind, type FindAgents, type Agent } from "./find-agents.js";
import { alignColumns } from "../../base/columns.js";
import { firstWords } from "../../base/format.js";
import { namesOf } from "../../plugin/tool-names.js";

const INTRODUCTION = [
    "# Agents",
    "Kinds of sub-agents. When a task fits a description, name the agent in `explore` if it only reads, else in `delegate`.",
].join("\n\n");

export async function agentsContribution({
    root,
    configFolder,
    home,
    ownTools,
    toolsWith,
}: {
    readonly root?: string | undefined;
    readonly configFolder?: string | undefined;
    readonly home: string;
    readonly ownTools: readonly Tool[];
    /** The tools that choose agents, instead of North's own of the same names. */
    toolsWith(find: FindAgents): readonly Tool[];
}): Promise<Pick<Contribution, "tools" | "slashCommands" | "contextSources" | "listAgents">> {
    if (root === undefined) return {};
    const kind = agentKind(
        configFolder === undefined ? [] : [path.join(configFolder, "agents")],
        home
    );
    const { find, source } = openGuides(kind, { introduction: INTRODUCTION });
    const slashCommands = [listAgents(find, ownTools)];
    if (!(await hasGuideFolder(root, kind))) return { slashCommands };
    return {
        tools: toolsWith(find),
        slashCommands,
        contextSources: [source],
        listAgents: async ({ pluginTools, ...place }) =>
            agentList(await findGuides(place, kind), ownTools, pluginTools),
    };
}

const NONE =
    "No agents. An agent is a Markdown file in .north/agents or .claude/agents here, " +
    "or in agents/ in North's config folder.";

function listAgents(find: FindAgents, ownTools: readonly Tool[]): SlashCommand {
    return {
        name: "agents",
        description: "List agents, their files, and what North ignores in them.",
        usage: "/agents",
        onlyShows: true,
        async run(_argumentsText, { screen, pluginTools }) {
            const names = pluginTools.map(({ name }) => name);
            const { agents, problems } = agentList(await find(), ownTools, names);
            if (agents.length + problems.length === 0) return screen.print(NONE);
            const skipped =
                problems.length > 0 ? ["", "Skipped", ...problems.map((line) => `  ${line}`)] : [];
            const rows = alignColumns(agents.map(rowOf));
            const lines = agents.flatMap(({ ignored }, index) => [
                rows[index] ?? "",
                ...(ignored.length > 0 ? [`    ignored: ${ignored.join("; ")}`] : []),
            ]);
            screen.print(["Agents", ...lines, ...skipped].join("\n"));
        },
    };
}

function rowOf({ name, owner, file, model = "", description }: AgentInfo): string[] {
    const origin = owner === "user" ? "yours" : "repository's";
    return [`  ${name}`, origin, file, model, firstWords(description)];
}

/** What was found, with the tools that do not exist here among what is ignored. */
function agentList(
    { guides, problems }: FoundGuides<Agent>,
    ownTools: readonly Tool[],
    pluginTools: readonly string[]
): AgentList {
    const offered = ownTools.filter(({ startsRuns }) => !startsRuns);
    const known = new Set([...offered.flatMap(namesOf), ...pluginTools]);
    const agents = [...guides.values()].map((agent): AgentInfo => {
        const { name, description, owner, folder, file, model, tools, withoutTools } = agent;
        const unknown = (tools ?? []).filter((tool) => !known.has(tool));
        const ignored =
            unknown.length > 0
                ? [`${unknown.join(", ")}, which North's agents do not support`]
                : [];
        return {
            ...{ name, description, owner, file: `${folder}/${file}` },
            ...(model !== undefined && { model }),
            ...(tools && { tools }),
            ...(withoutTools && { withoutTools }),
            ignored: [...ignored, ...agent.ignored],
        };
    });
    return { agents, problems };
}
