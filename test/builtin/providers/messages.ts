import fc from "fast-check";
import type { Message } from "../../../src/plugin/index.js";

/** Text that has given some vendor trouble, and any other. */
export const anyText = fc.oneof(
    fc.string(),
    fc.string({ unit: "binary" }),
    fc.constantFrom("", " \n", "\ud83d", "a\udc00b", '"\\\u0000', "🌍", "\\ud83d")
);

const textPart = fc.record({ type: fc.constant("text" as const), text: anyText });

const opaque = fc.option(
    fc.oneof(
        fc.record({ signature: anyText, boundTo: fc.string() }),
        fc.record({
            type: fc.constant("reasoning"),
            id: fc.string(),
            summary: fc.constant([]),
            encrypted_content: anyText,
        }),
        fc.record({ field: fc.constantFrom("reasoning", "reasoning_content", "content") })
    ),
    { nil: undefined }
);

const userMessage: fc.Arbitrary<Message> = fc.record({
    role: fc.constant("user" as const),
    content: fc.array(textPart, { maxLength: 3 }),
});

const assistantMessage: fc.Arbitrary<Message> = fc.record({
    role: fc.constant("assistant" as const),
    content: fc.array(
        fc.oneof(
            textPart,
            fc.record({
                type: fc.constant("thinking" as const),
                text: anyText,
                provider: fc.constantFrom("anthropic", "openai", "local"),
                model: fc.constantFrom("claude-sonnet-5-5", "gpt-6.2-sol", "llama3"),
                opaque,
            }),
            fc.record({
                type: fc.constant("tool-call" as const),
                callId: fc.string({ minLength: 1 }),
                name: fc.string({ minLength: 1 }),
                input: fc.dictionary(fc.string(), anyText),
            })
        ),
        { maxLength: 4 }
    ),
});

const toolMessage: fc.Arbitrary<Message> = fc.record({
    role: fc.constant("tool" as const),
    content: fc.array(
        fc.record({
            type: fc.constant("tool-result" as const),
            callId: fc.string({ minLength: 1 }),
            name: fc.constant("read_file"),
            content: anyText,
            isError: fc.boolean(),
        }),
        { maxLength: 3 }
    ),
});

/** Messages of any kind in any order, of any provider. */
export const anyMessages = fc.array(fc.oneof(userMessage, assistantMessage, toolMessage), {
    minLength: 1,
    maxLength: 12,
});
