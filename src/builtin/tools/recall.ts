import * as Type from "typebox";
import { counted, localMinute } from "../../base/format.js";
import { readOnlyTool } from "./read-only-tool.js";
import { failure, success } from "./results.js";

export const recall = readOnlyTool({
    name: "recall",
    description:
        "Find a text in earlier turns, even summarized ones, and in this project's other conversations.",
    kind: "search",
    input: { text: Type.String({ minLength: 1, maxLength: 200 }) },
    intent: ({ text }) => `Recalling ${JSON.stringify(text)}`,
    async execute({ text }, { recall: find }) {
        if (!find) return failure("no-log", "There is no log to search here.");
        return success({ hits: await find(text) });
    },
    summary: ({ hits }) => counted(hits.length, "match", "matches"),
    render: ({ hits }) =>
        hits
            .map(({ conversationId, turn, at, who, excerpt }) => {
                const speaker = who === "you" ? "user" : who;
                return `${conversationId} turn ${turn}, ${localMinute(at)}, ${speaker}: ${excerpt}`;
            })
            .join("\n") || "No match. Try one distinctive word.",
});
