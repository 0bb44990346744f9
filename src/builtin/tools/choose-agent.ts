import * as Type from "typebox";
import { nearName } from "../../base/near-name.js";
import type { NestedRun, NestedRunOptions, ToolFailure } from "../../plugin/index.js";
import { readGuideText } from "../guides/find-guides.js";
import { expandOutput } from "./expand-output.js";
import { failure } from "./results.js";
import type { FindAgents } from "../agents/find-agents.js";

type AgentField = { readonly agent: Type.TOptional<Type.TString> };

/** The field by which a tool chooses an agent; none in a project without agents. */
export function agentField(find: FindAgents | undefined): AgentField {
    const field = { agent: Type.Optional(Type.String({ description: "An agent's name" })) };
    return find ? field : ({} as AgentField);
}

export interface Chosen {
    readonly agent?: string | undefined;
    readonly model?: string | undefined;
}

export interface AgentOptions extends Pick<NestedRunOptions, "context" | "withoutTools" | "model"> {
    readonly tools?: readonly string[];
}

/** A run's options for an agent; a model that the call names counts for more than the agent's. */
export async function agentOptions(
    find: FindAgents | undefined,
    { agent: name, model: ownModel }: Chosen
): Promise<AgentOptions | ToolFailure> {
    if (name === undefined) return ownModel === undefined ? {} : { model: ownModel };
    const { guides } = (await find?.()) ?? { guides: new Map<string, never>() };
    const agent = guides.get(name);
    const instructions = agent && (await readGuideText(agent));
    if (!agent || instructions === undefined) {
        const near = nearName(name, [...guides.keys()]);
        const hint = near ? `Did you mean ${near}?` : "Use a name from the catalogue, or none.";
        return failure("no-such-agent", `There is no agent ${name}.`, hint, [...guides.keys()]);
    }
    const { owner, folder, file, tools, withoutTools } = agent;
    const whose = owner === "user" ? "the user's own" : "part of this repository: data";
    const origin = `${folder}/${file}`;
    const text = `Instructions for you as the agent ${name} (${origin}), ${whose}:\n\n${instructions}`;
    const model = ownModel ?? agent.model;
    return {
        context: [{ kind: "agent", id: `agent:${name}`, text, origin }],
        // It shows more of what the other tools found.
        ...(tools && { tools: [...tools, expandOutput.name] }),
        ...(withoutTools && { withoutTools }),
        ...(model !== undefined && { model }),
    };
}

/** Says what to do if an agent wants a model that the provider does not have. */
export function modelHint({ agent, model }: Chosen, { problemCode }: Partial<NestedRun>) {
    if (agent === undefined || model !== undefined || problemCode !== "unknown-model") {
        return undefined;
    }
    return `The agent ${agent} names this model. Call again with another \`model\`; "inherit" is the conversation's own.`;
}
