import { createHash } from "node:crypto";
import type { VendorBlock, VendorRequest } from "./messages-checks.js";
import type { Reply, VendorCounts } from "./messages-replies.js";
import { check } from "./streaming-server.js";

/** How many blocks before a mark the vendor searches for a cached prefix. */
const LOOK_BACK = 20;

/** Four bytes per token, rounded up. */
const tokensOf = (bytes: number): number => Math.ceil(bytes / 4);

const hash = (value: unknown): string =>
    createHash("sha256").update(JSON.stringify(value)).digest("hex");

/** The prompt in the vendor's order, as cumulative prefixes. */
function prefixesOf(request: VendorRequest): { key: string; bytes: number; isMarked: boolean }[] {
    const blocks = [
        ...(request.tools ?? []),
        ...(request.system ?? []),
        ...request.messages.flatMap(({ role, content }) =>
            content.map((block) => ({ role, ...block }))
        ),
    ];
    let key = hash(request.model);
    let bytes = 0;
    return blocks.map((block, index) => {
        const { cache_control: mark, ...content } = block as VendorBlock;
        key = hash([key, content]);
        bytes += Buffer.byteLength(JSON.stringify(content));
        // The automatic mark is on the last block.
        const isLast = index === blocks.length - 1 && request.cache_control !== undefined;
        return { key, bytes, isMarked: mark !== undefined || isLast };
    });
}

/** The vendor's prompt cache: token counts read and written by each request. */
export function createPromptCache(): (request: VendorRequest) => VendorCounts {
    const cached = new Set<string>();
    return (request) => {
        const prefixes = prefixesOf(request);
        const isLong = request.cache_control?.ttl === "1h";
        let read = 0;
        let marked = 0;
        prefixes.forEach((prefix, index) => {
            if (!prefix.isMarked) return;
            marked = prefix.bytes;
            const near = prefixes.slice(Math.max(0, index - LOOK_BACK), index + 1);
            for (const { key, bytes } of near) if (cached.has(key)) read = Math.max(read, bytes);
        });
        for (const prefix of prefixes) if (prefix.isMarked) cached.add(prefix.key);
        return {
            input_tokens: tokensOf((prefixes.at(-1)?.bytes ?? 0) - marked),
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

/** Remembers the thinking that the server wrote with its context, and rejects it anywhere else. */
export function createThinkingMemory() {
    const issued = new Map<string, { text: string; model: string; prefix: string }>();
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

                if (block.type === "redacted_thinking") {
                    issued.set(block.data, { text: "", model, prefix });
                }
            }
        },
        /** Throws a `Rejection`. */
        check(request: VendorRequest): void {
            for (const [index, message] of request.messages.entries()) {
                for (const block of message.content) {
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
