import path from "node:path";
import type { Contribution, Tool } from "../../plugin/index.js";
import { findGuides } from "../guides/find-guides.js";
import { hasGuideFolder, openGuides } from "../guides/open-guides.js";
import { agentKind, type FindAgents } from "./find-agents.js";
import { agentList, listAgents } from "./list-agents.js";

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
    /** The tools that choose agents, in the place of North's own of the same names. */
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
