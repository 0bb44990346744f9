import type { Provider } from "../../../plugin/index.js";

/** Not a model: a small command language to try North without a key. Never leaves the machine. */
export const offline: Provider = {
    id: "offline",
    displayName: "Offline",
    models: [
        {
            id: "offline",
            aliases: [],
            displayName: "Offline (no model)",
            contextTokens: 200_000,
            maxOutputTokens: 16_000,
            prices: {
                input: 0,
                output: 0,
                asOf: "2026-11-22",
                source: "Nothing is sent, so nothing is charged.",
            },
        },
    ],
    connect: async () => {
        const { replyTo } = await import("./reply.js");
        return {
            async *stream(request, { signal }) {
                for (const event of replyTo(request)) {
                    signal.throwIfAborted();
                    yield event;
                }
            },
        };
    },
};
