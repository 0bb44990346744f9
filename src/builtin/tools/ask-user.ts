import * as Type from "typebox";
import type { PlainTool } from "../../plugin/index.js";
import { failure, success } from "./results.js";

const inputSchema = Type.Object(
    {
        question: Type.String({ minLength: 1, maxLength: 500 }),
        choices: Type.Optional(
            Type.Array(Type.String({ minLength: 1, maxLength: 200 }), { maxItems: 9 })
        ),
        allowText: Type.Optional(Type.Boolean({ description: "Beside choices" })),
    },
    { additionalProperties: false }
);

export type AskUserInput = Type.Static<typeof inputSchema>;

export interface AskUserData {
    readonly answer: string;
}

export const askUser: PlainTool<AskUserInput, AskUserData> = {
    name: "ask_user",
    description:
        "Ask the user what you cannot find out and what affects the work. Not for permission: edits and commands are reviewed anyway.",
    approval: "none",
    readOnly: true,
    inputSchema,
    intent: ({ question }) => `Asking: ${question.replace(/\s+/g, " ")}`,
    summary: ({ answer }) => answer.replace(/\s+/g, " ").slice(0, 80),
    render: ({ answer }) => answer,
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
};
