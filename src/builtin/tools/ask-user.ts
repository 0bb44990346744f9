import { oneLine, firstWords } from "../../base/format.js";
import * as Type from "typebox";
import { readOnlyTool } from "./read-only-tool.js";
import { failure, success } from "./results.js";

export const askUser = readOnlyTool({
    name: "ask_user",
    description:
        "Ask the user what you cannot find out and what affects the work. Not for permission: edits and commands are reviewed anyway.",
    input: {
        question: Type.String({ minLength: 1, maxLength: 500 }),
        choices: Type.Optional(
            Type.Array(Type.String({ minLength: 1, maxLength: 200 }), { maxItems: 9 })
        ),
        allowText: Type.Optional(
            Type.Boolean({ description: "Accept typed text besides choices" })
        ),
    },
    intent: ({ question }) => `Asking: ${oneLine(question)}`,
    async execute({ question, ...rest }, { ask }) {
        if (!ask) {
            return failure(
                "nobody-there",
                "Not asked: print mode cannot ask questions.",
                "Decide yourself, and say what you assumed."
            );
        }
        const answer = await ask({ title: question, ...rest });
        if (answer !== undefined) return success({ answer });
        const hint = "Continue without it, or end your turn.";
        return failure("no-answer", "The user gave no answer.", hint);
    },
    summary: ({ answer }) => firstWords(answer),
    render: ({ answer }) => answer,
});
