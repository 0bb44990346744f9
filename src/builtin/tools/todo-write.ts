import { oneLine } from "../../base/format.js";
import * as Type from "typebox";
import { readOnlyTool, strictObject } from "./read-only-tool.js";
import { failure, success } from "./results.js";

const todo = strictObject({
    content: Type.String({ minLength: 1, maxLength: 500 }),
    status: Type.Enum(["pending", "in_progress", "completed"]),
});

export const todoWrite = readOnlyTool({
    name: "todo_write",
    description:
        "Replace your todo list, for work of 3 steps or more; one item in_progress at a time.",
    input: { todos: Type.Array(todo, { maxItems: 100 }) },
    equivalents: () => [{ tool: "TodoWrite", input: {} }],
    intent: () => "Updating todos",
    async execute(input) {
        const todos = input.todos.map(({ content, status }) => ({
            content: oneLine(content),
            status,
        }));
        const active = todos.filter(({ status }) => status === "in_progress");
        if (active.length > 1) {
            return failure(
                "several-in-progress",
                `${active.length} todos are in_progress; only one may be.`,
                "Set the others to pending or completed."
            );
        }
        if (todos.some(({ content }) => content === "")) {
            return failure("invalid-input", "A todo has no content.");
        }

        const completed = todos.filter(({ status }) => status === "completed").length;
        const list = todos.map(lineOf).join("\n");
        const progress = `${completed}/${todos.length}`;
        const isDone = completed === todos.length;
        return success(
            { todos, progress },
            {
                display: list,
                reminder: isDone ? "" : reminderOf(list),
                progress: isDone ? "" : [progress, active[0]?.content].join(" ").trim(),
            }
        );
    },
    summary: (data) => data.progress,
});

function lineOf({ content, status }: Type.Static<typeof todo>): string {
    if (status === "completed") return `☑ ${content}`;
    return status === "in_progress" ? `☐ ${content} (in progress)` : `☐ ${content}`;
}

/** Security: an item's text must not be able to close the reminder. */
function reminderOf(list: string): string {
    const items = list.replace(/<(?=\/?system-reminder)/gi, "‹");
    return `<system-reminder>\nYour todo list at this point:\n${items}\nKeep it current with todo_write.\n</system-reminder>`;
}
