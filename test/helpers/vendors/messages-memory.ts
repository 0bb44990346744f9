import { createHash } from "node:crypto";
import type { VendorBlock, VendorRequest } from "./messages-checks.js";
import { type Reply, toServerBlock, type VendorCounts } from "./messages-replies.js";
import { createMarkedCache, type PromptBlock } from "./prefix-cache.js";
import { check } from "./streaming-server.js";

/** Four bytes per token, rounded up. */
const tokensOf = (bytes: number): number => Math.ceil(bytes / 4);

const hash = (value: unknown): string =>
    createHash("sha256").update(JSON.stringify(value)).digest("hex");

/** The prompt in the vendor's order. */
function blocksOf(request: VendorRequest): PromptBlock[] {
    const blocks = [
        ...(request.tools ?? []),
        ...(request.system ?? []),
        ...request.messages.flatMap(({ role, content }) =>
            content.map((block) => ({ role, ...block }))
        ),
    ];
    return blocks.map((block, index) => {
        const { cache_control: mark, ...content } = block as VendorBlock;
        // The automatic mark is on the last block.
        const isLast = index === blocks.length - 1 && request.cache_control !== undefined;
        return { content, isMarked: mark !== undefined || isLast };
    });
}

/** The vendor's prompt cache: token counts read and written by each request. */
export function createPromptCache(): (request: VendorRequest) => VendorCounts {
    const cache = createMarkedCache();
    return (request) => {
        const isLong = request.cache_control?.ttl === "1h";
        const { all, marked, read } = cache(request.model, blocksOf(request));
        return {
            input_tokens: tokensOf(all - marked),
            cache_read_input_tokens: tokensOf(read),
            cache_creation_input_tokens: tokensOf(marked - read),
            cache_creation: {
                ephemeral_5m_input_tokens: isLong ? 0 : tokensOf(marked - read),
                ephemeral_1h_input_tokens: isLong ? tokensOf(marked - read) : 0,
            },
            output_tokens: 10,
        };
    };
}

/**
 * Remembers the thinking that the server wrote with its context, and rejects it anywhere else; and
 * its searches, of which no byte may change.
 */
export function createThinkingMemory() {
    const issued = new Map<string, { text: string; model: string; prefix: string }>();
    const searches = new Set<string>();
    const prefixOf = (request: VendorRequest, end: number) =>
        hash(withoutMarks([request.system, request.tools, request.messages.slice(0, end)]));
    return {
        remember(request: VendorRequest, reply: Reply): void {
            const prefix = prefixOf(request, request.messages.length);
            for (const block of reply.blocks ?? []) {
                const { model } = request;
                if (block.type === "thinking") {
                    issued.set(block.signature, { text: block.text, model, prefix });
                }

                if (block.type === "server_tool_use" || block.type === "web_search_tool_result") {
                    searches.add(JSON.stringify(toServerBlock(block)));
                }
                if (block.type === "redacted_thinking") {
                    issued.set(block.data, { text: "", model, prefix });
                }
            }
        },
        /** Throws a `Rejection`. */
        check(request: VendorRequest): void {
            for (const [index, message] of request.messages.entries()) {
                for (const block of message.content) {
                    if (/server_tool_use|web_search/.test(block.type)) {
                        const isSame = searches.has(JSON.stringify(withoutMarks(block)));
                        check(isSame, `messages.${index}: a search cannot be modified`);
                    }
                    if (!block.type.endsWith("thinking")) continue;
                    const known = issued.get(String(block.signature ?? block.data));
                    const at = `messages.${index}: Invalid \`signature\` in \`thinking\` block.`;
                    check(known !== undefined && known.model === request.model, at);
                    check(
                        (block.thinking ?? "") === known.text,
                        "`thinking` blocks cannot be modified"
                    );
                    const isBudget = request.thinking?.type === "enabled";
                    check(
                        isBudget || known.prefix === prefixOf(request, index),
                        `${at} The block is bound to a different conversation.`
                    );
                }
            }
        },
    };
}

/** Cache marks are not content to the vendor. */
function withoutMarks(value: unknown): unknown {
    return JSON.parse(
        JSON.stringify(value, (key, item: unknown) => (key === "cache_control" ? undefined : item))
    );
}
