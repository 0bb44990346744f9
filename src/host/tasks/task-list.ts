import { jsonIn } from "../../base/fields.js";
import * as Type from "typebox";
import { checker, object } from "../../base/json-schema.js";
import { NorthError } from "../../base/north-error.js";

const text = Type.String({ minLength: 1 });

const listedTask = object(
    {
        id: Type.Optional(text),
        prompt: text,
        model: Type.Optional(text),
        until: Type.Optional(text),
        /** The commit that the task starts from, if not what is checked out. */
        commit: Type.Optional(text),
    },
    { additionalProperties: false }
);

/** One line of a file of tasks. */
export type ListedTask = Type.Static<typeof listedTask> & { readonly id: string };

const tasks = checker(listedTask);

/** Reads JSON lines. Throws `invalid-usage`, which names the line. */
export function readTasks(content: string): readonly ListedTask[] {
    const listed = content.split("\n").flatMap((line, index) => {
        return line.trim() === "" ? [] : taskOf(line, index + 1);
    });
    if (listed.length === 0) throw badTasks("There are no tasks.");
    const ids = new Set<string>();
    for (const { id } of listed) {
        if (ids.has(id)) throw badTasks(`Two tasks have the id "${id}".`);
        ids.add(id);
    }
    return listed;
}

function taskOf(line: string, number: number): ListedTask {
    const value = jsonIn(line);
    if (value === undefined) throw badTasks(`Line ${number} is not JSON.`);
    if (tasks.fits(value)) return { ...value, id: value.id ?? String(number) };
    throw badTasks(`Line ${number} is not a task: ${tasks.problem(value)}.`);
}

function badTasks(problem: string): NorthError {
    return new NorthError("invalid-usage", problem, [
        'A task is a line such as {"id": "fix-12", "prompt": "Fix issue 12"}; see docs/fleet.md.',
    ]);
}
