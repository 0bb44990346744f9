import { jsonIn } from "../../base/fields.js";
import * as Type from "typebox";
import { checker, object } from "../../base/json-schema.js";
import { NorthError } from "../../base/north-error.js";

const text = Type.String({ minLength: 1 });

const ownTask = object(
    {
        id: Type.Optional(text),
        prompt: text,
        model: Type.Optional(text),
        until: Type.Optional(text),
    },
    { additionalProperties: false }
);
/** SWE-bench's dataset, whose other fields (the solution among them) North does not read. */
const benchTask = Type.Object({
    instance_id: text,
    problem_statement: text,
    base_commit: Type.Optional(text),
});

/** One line of a file of tasks. */
export interface ListedTask {
    readonly id: string;
    readonly prompt: string;
    readonly model?: string;
    readonly until?: string;
    /** The commit that the task starts from, if not what is checked out. */
    readonly commit?: string;
}

const own = checker(ownTask);
const bench = checker(benchTask);

/** Reads JSON lines of either kind: North's own, or SWE-bench's. Throws `invalid-usage`, which names the line. */
export function readTasks(content: string): readonly ListedTask[] {
    const tasks = content.split("\n").flatMap((line, index) => {
        return line.trim() === "" ? [] : taskOf(line, index + 1);
    });
    if (tasks.length === 0) throw badTasks("There are no tasks.");
    const ids = new Set<string>();
    for (const { id } of tasks) {
        if (ids.has(id)) throw badTasks(`Two tasks have the id "${id}".`);
        ids.add(id);
    }
    return tasks;
}

function taskOf(line: string, number: number): ListedTask {
    const value = jsonIn(line);
    if (value === undefined) throw badTasks(`Line ${number} is not JSON.`);
    if (bench.fits(value)) {
        const { instance_id: id, problem_statement: prompt, base_commit: commit } = value;
        return { id, prompt, commit };
    }
    if (own.fits(value)) return { ...value, id: value.id ?? String(number) };
    throw badTasks(`Line ${number} is not a task: ${own.problem(value)}.`);
}

function badTasks(problem: string): NorthError {
    return new NorthError("invalid-usage", problem, [
        'A task is a line such as {"id": "fix-12", "prompt": "Fix issue 12"}; see docs/fleet.md.',
    ]);
}
