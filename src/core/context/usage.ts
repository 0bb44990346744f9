import type { ContextUsage, Message, ModelRequest } from "../../plugin/index.js";
import type { ContextShares } from "../conversation/context-shares.js";
import type { ContextKind } from "../../plugin/index.js";
import { partCharacters, schemaCharacters, tokensOf } from "./estimate.js";

const KINDS: readonly ContextKind[] = [
    "project card",
    "rules",
    "AGENTS.md",
    "profile",
    "memory",
    "attachments",
];
const ROLES: Readonly<Record<Message["role"], string>> = {
    user: "your messages",
    assistant: "answers and calls",
    tool: "tool results",
};

/** The parts of a request with their tokens; empty ones are omitted. */
export function contextUsage(
    request: ModelRequest,
    shares: ContextShares,
    reportedTokens: number
): ContextUsage {
    const characters = new Map<string, number>([
        ["system prompt", request.system.length],
        ["tools", schemaCharacters(request.tools)],
        ...[...KINDS, ...Object.values(ROLES)].map((name): [string, number] => [name, 0]),
    ]);
    const add = (name: string, count: number) =>
        void characters.set(name, (characters.get(name) ?? 0) + count);
    for (const { role, content } of request.messages) {
        for (const part of content) {
            let said = partCharacters(part);
            for (const share of shares.of(part)) {
                const count = share.characters ?? said;
                add(share.kind, count);
                said -= count;
            }
            add(ROLES[role], said);
        }
    }
    const parts = [...characters]
        .filter(([, count]) => count > 0)
        .map(([name, count]) => ({ name, tokens: tokensOf(count) }));
    return {
        parts,
        totalTokens: parts.reduce((sum, { tokens }) => sum + tokens, 0),
        ...(reportedTokens > 0 ? { reportedTokens } : {}),
        limitTokens: request.model.contextTokens,
    };
}
