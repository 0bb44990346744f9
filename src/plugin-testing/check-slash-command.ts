import { isExpectedError } from "../base/north-error.js";
import { within } from "../base/waiting.js";
import type { OutgoingMessage, SlashCommand, SlashContext } from "../plugin/index.js";
import { Problems } from "./contract-error.js";
import { isOneLine } from "./json.js";

const NAME = /^[a-z0-9][a-z0-9_:.-]*$/;
const LIMIT_MS = 10_000;

/** What a slash command printed and sent. */
export interface SlashRun {
    readonly printed: readonly string[];
    readonly sent: readonly OutgoingMessage[];
}

type SlashPart = "commands" | "pluginTools" | "send" | "reviewDraft";
type SlashGroup = Exclude<keyof SlashContext, SlashPart>;

/** The parts of a context that a command uses. */
export type SlashParts = Partial<Pick<SlashContext, SlashPart>> & {
    readonly [Name in SlashGroup]?: Partial<SlashContext[Name]>;
};

/**
 * Runs a slash command once, for a user who answers no questions. Using a service missing from `parts` throws an
 * error that names it. Rejects with a `ContractError`, or the command's expected error.
 */
export async function runSlashCommand(
    command: SlashCommand,
    argumentsText = "",
    parts: SlashParts = {}
): Promise<SlashRun> {
    const problems = new Problems(`Slash command ${command.name}`);
    const { context, ...run } = recordingContext(parts, problems);
    const running = Promise.resolve(command.run(argumentsText, context));
    await within(LIMIT_MS, running, () => {
        throw new Error(`nothing within ${LIMIT_MS} ms`);
    }).catch((error: unknown) => {
        if (isExpectedError(error)) throw error;
        problems.unless(false, `run failed: ${String(error)}`);
    });
    problems.throwAny();
    return run;
}

/** Checks a slash command's data and its completions. Rejects with a `ContractError`. */
export async function checkSlashCommand(
    command: SlashCommand,
    parts: SlashParts = {}
): Promise<void> {
    const { name, description, usage } = command;
    const problems = new Problems(`Slash command ${name}`);
    problems.unless(NAME.test(name), `name must match ${NAME}`);
    problems.unless(isOneLine(description), "description is not one line");
    const isUsage = isOneLine(usage) && (usage === `/${name}` || usage.startsWith(`/${name} `));
    problems.unless(isUsage, `usage must begin with /${name}`);
    problems.unless(typeof command.run === "function", "run must be a function");
    const { context } = recordingContext(parts, problems);
    const options = await Promise.resolve(
        problems.attempt("complete", () => command.complete?.("", context))
    ).catch((error: unknown) => problems.unless(false, `complete failed: ${String(error)}`));
    const values = Array.isArray(options) ? options.map((option) => option?.value) : [];
    problems.unless(
        options === undefined || (Array.isArray(options) && values.every(isOneLine)),
        "complete must resolve with options whose values are one line"
    );
    problems.throwAny();
}

function recordingContext(parts: SlashParts, problems: Problems) {
    const printed: string[] = [];
    const sent: OutgoingMessage[] = [];
    const screen: SlashParts["screen"] = {
        print: (text) => void printed.push(text),
        printVerbatim: (text) => void printed.push(text),
        ask: async () => undefined,
        pick: async () => undefined,
        choose: async () => undefined,
        edit: async (_name, text) => text,
        confirm: async () => undefined,
        confirmChanges: async () => false,
        showChanges: async () => {},
        async during(_label, work) {
            return work(new AbortController().signal, () => {}).catch((error: unknown) => {
                if (isExpectedError(error)) printed.push(error.message);
                else problems.unless(false, `its work failed: ${String(error)}`);
                return undefined;
            });
        },
        untilDone: (_label, work) => work(),
        ...parts.screen,
    };
    const send: SlashContext["send"] = async (message) => {
        sent.push(message);
        return { stopReason: "end", text: "", costUsd: null };
    };
    const given: SlashParts = { commands: [], send, ...parts, screen };
    const groups = Object.entries(given).map(([name, value]) => [
        name,
        typeof value !== "object" || Array.isArray(value) ? value : complete(value, `${name}.`),
    ]);
    const context = complete<SlashContext>(Object.fromEntries(groups));
    return { context, printed, sent };
}

/** Throws where something is used that the test did not provide. */
function complete<Whole extends object>(given: object, path = ""): Whole {
    return new Proxy(given as Whole, {
        get(target, property) {
            if (property in target) return Reflect.get(target, property);
            throw new Error(`it used ${path}${String(property)}, which the test did not provide`);
        },
    });
}
