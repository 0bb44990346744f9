import type { ContextUsage, Message, ModelRequest } from "../../plugin/index.js";
import type { SentContext } from "../conversation/sent-context.js";
import { partCharacters, schemaCharacters, tokensOf } from "./estimate.js";

const ROLES: Readonly<Record<Message["role"], string>> = {
    user: "your messages",
    assistant: "answers and calls",
    tool: "tool results",
};

export function contextUsage(
    request: ModelRequest,
    context: SentContext,
    reportedTokens: number
): ContextUsage {
    const groups = new Map<string, number>();
    const said = new Map(Object.values(ROLES).map((name) => [name, 0]));
    const originsOf = new Map<string, Map<string, number>>();
    const add = (into: Map<string, number>, name: string, count: number) =>
        into.set(name, (into.get(name) ?? 0) + count);
    add(groups, "system prompt", request.system.length);
    add(groups, "tools", schemaCharacters(request.tools));
    for (const { role, content } of request.messages) {
        for (const part of content) {
            let rest = partCharacters(part);
            for (const { kind, origin, characters = rest } of context.sharesOf(part)) {
                add(groups, kind, characters);
                const origins = originsOf.get(kind) ?? new Map<string, number>();
                if (origin !== undefined) originsOf.set(kind, add(origins, origin, characters));
                rest -= characters;
            }
            add(said, ROLES[role], rest);
        }
    }
    const parts = [...groups, ...said]
        .filter(([, characters]) => characters > 0)
        .map(([name, characters]) => {
            const origins = [...(originsOf.get(name) ?? [])].map(([origin, count]) => ({
                origin,
                tokens: tokensOf(count),
            }));
            const tokens = tokensOf(characters);
            return { name, tokens, ...(origins.length > 0 && { origins }) };
        });
    return {
        parts,
        totalTokens: parts.reduce((sum, { tokens }) => sum + tokens, 0),
        ...(reportedTokens > 0 ? { reportedTokens } : {}),
        limitTokens: request.model.contextTokens,
    };
}
