import { checkInput } from "../base/check-input.js";
import type { JsonObject, JsonSchema, Tool } from "../plugin/index.js";
import { Problems } from "./contract-error.js";
import { frozenCopy, isOneLine } from "./json.js";

/** Sample inputs of a tool. */
export interface ToolSamples {
    /** Inputs that the schema must accept; at least one. */
    readonly accepted: readonly JsonObject[];
    /** Inputs that the schema must reject. */
    readonly refused?: readonly JsonObject[];
}

const NAME = /^[a-zA-Z0-9_-]{1,64}$/;
const METHODS: Readonly<Record<Tool["approval"], readonly string[]>> = {
    none: ["execute"],
    write: ["propose"],
    shell: ["command", "execute"],
    ask: ["question", "execute"],
};

/**
 * Checks a tool without running it: name, schema, approval class, and the texts shown for a call.
 * Rejects with a `ContractError` that lists every problem.
 */
export async function checkTool(tool: Tool, samples: ToolSamples): Promise<void> {
    const problems = new Problems(`Tool ${String(tool.name)}`);
    checkFields(tool, problems);
    problems.unless(samples.accepted.length > 0, "the samples have no accepted input");
    const isSchema = await checkSchema(tool.inputSchema, problems);
    const accepts = async (input: JsonObject) => (await checkInput(tool.inputSchema, input)).ok;
    for (const input of samples.accepted) {
        const shown = JSON.stringify(input);
        const isFine = !isSchema || (await accepts(input));
        problems.unless(isFine, `inputSchema rejects the sample ${shown}`);
        checkShown(tool, input, shown, problems);
    }
    for (const input of samples.refused ?? []) {
        const isFine = !isSchema || !(await accepts(input));
        problems.unless(isFine, `inputSchema accepts ${JSON.stringify(input)}`);
    }

    problems.throwAny();
}

function checkFields(tool: Tool, problems: Problems): void {
    const { name, description, approval, readOnly } = tool;
    problems.unless(NAME.test(name), `name must match ${NAME}`);
    problems.unless(
        typeof description === "string" && description.trim() !== "",
        "description is empty: the model would not know what the tool is for"
    );
    problems.unless(typeof readOnly === "boolean", "readOnly must be true or false");
    const methods = METHODS[approval];
    problems.unless(methods !== undefined, "approval must be none, write, shell or ask");
    for (const method of ["intent", ...(methods ?? [])]) {
        const isThere = typeof Reflect.get(tool, method) === "function";
        problems.unless(isThere, `${method} must be a function`);
    }
    const isChanging = approval === "write" || approval === "shell";
    problems.unless(
        !(readOnly && isChanging),
        `a tool of the class ${approval} cannot be readOnly`
    );
}

async function checkSchema(schema: JsonSchema, problems: Problems): Promise<boolean> {
    const isObject = typeof schema === "object" && schema !== null;
    problems.unless(
        isObject && Reflect.get(schema, "type") === "object",
        'inputSchema must be JSON Schema with "type": "object"'
    );
    if (!isObject) return false;
    const checked = await checkInput(schema, {});
    const isUsable = checked.ok || checked.error.code !== "broken-schema";
    problems.unless(isUsable, `inputSchema cannot be used: ${checked.ok || checked.error.message}`);
    return isUsable;
}

/** These are called before approval, so they must not throw on valid input. */
function checkShown(tool: Tool, sample: JsonObject, shown: string, problems: Problems): void {
    const input = frozenCopy(sample);
    const intent = problems.attempt(`intent(${shown})`, () => tool.intent(input));
    problems.unless(intent === undefined || isOneLine(intent), `intent(${shown}) is not one line`);
    if (tool.approval === "ask" && typeof tool.question === "function") {
        const asked = problems.attempt(`question(${shown})`, () => tool.question(input));
        problems.unless(
            asked === undefined || (isOneLine(asked.sentence) && isOneLine(asked.key)),
            `question(${shown}) must give a sentence and a key, one line each`
        );
    }
    if (tool.approval === "shell" && typeof tool.command === "function") {
        const run = problems.attempt(`command(${shown})`, () => tool.command(input));
        problems.unless(
            run === undefined || (typeof run.command === "string" && run.command.trim() !== ""),
            `command(${shown}) must give the command that will run`
        );
    }
}
