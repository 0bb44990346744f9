import type { ContextUsage, Message, ModelRequest } from "../../plugin/index.js";
import type { ContextShares } from "../conversation/context-shares.js";
import { partCharacters, schemaCharacters, tokensOf } from "./estimate.js";

const ROLES: Readonly<Record<Message["role"], string>> = {
    user: "your messages",
    assistant: "answers and calls",
    tool: "tool results",
};

/** Characters of one group, and of each origin in it. */
class Group {
    characters = 0;
    readonly origins = new Map<string, number>();

    add(count: number, origin?: string): void {
        this.characters += count;
        if (origin !== undefined) {
            this.origins.set(origin, (this.origins.get(origin) ?? 0) + count);
        }
    }
}

/** The parts of a request with their tokens; empty ones are omitted. */
export function contextUsage(
    request: ModelRequest,
    shares: ContextShares,
    reportedTokens: number
): ContextUsage {
    const groups = new Map<string, Group>();
    const said = new Map<string, Group>(Object.values(ROLES).map((name) => [name, new Group()]));
    const add = (into: Map<string, Group>, name: string, count: number, origin?: string) => {
        const group = into.get(name) ?? new Group();
        group.add(count, origin);
        into.set(name, group);
    };
    add(groups, "system prompt", request.system.length);
    add(groups, "tools", schemaCharacters(request.tools));
    for (const { role, content } of request.messages) {
        for (const part of content) {
            let rest = partCharacters(part);
            for (const { kind, origin, characters = rest } of shares.of(part)) {
                add(groups, kind, characters, origin);
                rest -= characters;
            }
            add(said, ROLES[role], rest);
        }
    }
    const parts = [...groups, ...said]
        .filter(([, { characters }]) => characters > 0)
        .map(([name, { characters, origins }]) => ({
            name,
            tokens: tokensOf(characters),
            ...(origins.size > 0 && { origins: tokensByOrigin(origins) }),
        }));
    return {
        parts,
        totalTokens: parts.reduce((sum, { tokens }) => sum + tokens, 0),
        ...(reportedTokens > 0 ? { reportedTokens } : {}),
        limitTokens: request.model.contextTokens,
    };
}

function tokensByOrigin(origins: ReadonlyMap<string, number>) {
    return [...origins].map(([origin, count]) => ({ origin, tokens: tokensOf(count) }));
}
