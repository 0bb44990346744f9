import type {
    Check,
    ContextSource,
    Contribution,
    Observer,
    Provider,
    SlashCommand,
    Tool,
} from "../../plugin/index.js";

export interface Contributed {
    /** The plugin's npm name. */
    readonly plugin: string;
    readonly contribution: unknown;
}

/** A contributed value and its plugin. */
export interface Owned<Value> {
    readonly plugin: string;
    readonly value: Value;
}

/** Contributions of this name are North's own. */
export const OWN_PLUGIN = "north-cli";

/** All contributions by name, and the problems of those left out. */
export interface Registry {
    readonly tools: ReadonlyMap<string, Owned<Tool>>;
    readonly providers: ReadonlyMap<string, Owned<Provider>>;
    readonly slashCommands: ReadonlyMap<string, Owned<SlashCommand>>;
    readonly contextSources: readonly Owned<ContextSource>[];
    readonly checks: readonly Owned<Check>[];
    readonly observers: readonly Owned<Observer>[];
    /** One sentence each, with the plugin's name. */
    readonly problems: readonly string[];
}

type Shape = Readonly<Record<string, "string" | "function" | "object" | "boolean">>;

const TOOL_SHAPE: Shape = {
    name: "string",
    description: "string",
    inputSchema: "object",
    readOnly: "boolean",
    intent: "function",
};
const EXTRA_METHODS: Readonly<Record<string, readonly string[]>> = {
    none: ["execute"],
    write: ["propose"],
    shell: ["command", "execute"],
    ask: ["question", "execute"],
};
const PROVIDER_SHAPE: Shape = {
    id: "string",
    displayName: "string",
    models: "object",
    connect: "function",
};
const COMMAND_SHAPE: Shape = {
    name: "string",
    description: "string",
    usage: "string",
    run: "function",
};
const NAMED_SHAPE: Shape = { name: "string" };
const CHECK_METHODS = ["beforeMessage", "beforeCall", "onProposal", "afterCall", "afterTurn"];
const TOOL_NAME = /^[a-zA-Z0-9_-]{1,64}$/;
const PLAIN_NAME = /^[a-z0-9][a-z0-9-]*$/;
const COMMAND_NAME = /^[a-z0-9][a-z0-9_:-]*$/;

/**
 * Sorts contributions into registries. The first in `contributed` wins a name. Never throws:
 * invalid contributions are dropped and reported in `problems`.
 */
export function buildRegistry(contributed: readonly Contributed[]): Registry {
    const problems: string[] = [];
    const tools = new Map<string, Owned<Tool>>();
    const providers = new Map<string, Owned<Provider>>();
    const slashCommands = new Map<string, Owned<SlashCommand>>();
    const contextSources: Owned<ContextSource>[] = [];
    const checks: Owned<Check>[] = [];
    const observers: Owned<Observer>[] = [];
    for (const { plugin, contribution } of contributed) {
        const complain = (text: string) => problems.push(`${plugin}: ${text}`);
        if (!isContribution(contribution, complain)) continue;
        const claim = claimer(plugin, complain);
        claim("tool", contribution.tools, tools, (tool) => toolProblem(tool));
        claim("provider", contribution.providers, providers, (provider) =>
            providerProblem(provider)
        );
        claim("slash command", contribution.slashCommands, slashCommands, (command) =>
            shapeProblem(command, COMMAND_SHAPE, "name", COMMAND_NAME)
        );
        const collect = collector(plugin, complain);
        collect("a context source", contribution.contextSources, contextSources, (source) =>
            hookProblem(source, ["prepare", "close", "begin", "forFiles", "forMessage"])
        );
        collect("a check", contribution.checks, checks, (check) => {
            const { timeLimitMs = 1 } = check;
            const isLimit = Number.isFinite(timeLimitMs) && timeLimitMs > 0;
            if (!isLimit) return "timeLimitMs must be a number of milliseconds";
            return hookProblem(check, CHECK_METHODS);
        });
        collect("an observer", contribution.observers, observers, (observer) => {
            const isDeaf = !observer?.observe && !observer?.onEvent;
            return (
                hookProblem(observer, ["observe", "onEvent"]) ??
                (isDeaf ? "it needs observe or onEvent" : undefined)
            );
        });
        for (const problem of listOf(contribution.problems)) complain(oneLine(problem));
    }
    return { tools, providers, slashCommands, contextSources, checks, observers, problems };
}

function isContribution(value: unknown, complain: (text: string) => void): value is Contribution {
    if (typeof value !== "object" || value === null) {
        complain("its north:register hook returned nothing");
        return false;
    }
    const version = "apiVersion" in value ? value.apiVersion : undefined;
    if (version !== 1) {
        complain(`it needs plugin API version ${String(version)}, this North has version 1`);
        return false;
    }
    return true;
}

function claimer(plugin: string, complain: (text: string) => void) {
    return function claim<Value extends object>(
        kind: string,
        values: readonly Value[] | undefined,
        registry: Map<string, Owned<Value>>,
        problemOf: (value: Value) => string | undefined
    ): void {
        for (const value of listOf(values)) {
            const name = nameOf(value);
            const owner = registry.get(name)?.plugin;
            const problem =
                problemOf(value) ??
                (owner === undefined ? undefined : `the name is taken by ${owner}`);
            if (problem) complain(`${kind} ${name || "without a name"} was left out: ${problem}`);
            else registry.set(name, { plugin, value });
        }
    };
}

/** Parts without names of their own to claim. */
function collector(plugin: string, complain: (text: string) => void) {
    return function collect<Value extends object>(
        kind: string,
        values: readonly Value[] | undefined,
        collected: Owned<Value>[],
        problemOf: (value: Value) => string | undefined
    ): void {
        for (const value of listOf(values)) {
            const problem = problemOf(value);
            if (problem) complain(`${kind} was left out: ${problem}`);
            else collected.push({ plugin, value });
        }
    };
}

/** What is wrong with a part whose methods are all optional. */
function hookProblem(value: object, methods: readonly string[]): string | undefined {
    const problem = shapeProblem(value, NAMED_SHAPE, "name", /./);
    if (problem) return problem;
    const wrong = methods.find((method) => {
        const given: unknown = Reflect.get(value, method);
        return given !== undefined && typeof given !== "function";
    });
    return wrong === undefined ? undefined : `${wrong} must be a function`;
}

function listOf<Value>(values: readonly Value[] | undefined): readonly Value[] {
    return Array.isArray(values) ? values : [];
}

function oneLine(text: unknown): string {
    return String(text)
        .split(/[\r\n]/, 1)
        .join();
}

function nameOf(value: unknown): string {
    if (typeof value !== "object" || value === null) return "";
    if ("name" in value && typeof value.name === "string") return value.name;
    return "id" in value && typeof value.id === "string" ? value.id : "";
}

function toolProblem(tool: Tool): string | undefined {
    const problem = shapeProblem(tool, TOOL_SHAPE, "name", TOOL_NAME);
    if (problem) return problem;
    const methods = EXTRA_METHODS[tool.approval];
    if (!methods) return `approval must be none, write, shell or ask`;
    return shapeProblem(
        tool,
        Object.fromEntries(methods.map((method) => [method, "function"])),
        "name",
        TOOL_NAME
    );
}

/** A longer timeout than a timer can run would fire at once. */
const LONGEST_MS = 2 ** 31 - 1;

function providerProblem(provider: Provider): string | undefined {
    const problem = shapeProblem(provider, PROVIDER_SHAPE, "id", PLAIN_NAME);
    if (problem) return problem;
    const { silenceMs = 1 } = provider;
    const isDelay = Number.isInteger(silenceMs) && silenceMs > 0 && silenceMs <= LONGEST_MS;
    return isDelay ? undefined : `silenceMs must be a whole number from 1 to ${LONGEST_MS}`;
}

function shapeProblem(
    value: object,
    shape: Shape,
    nameField: string,
    namePattern: RegExp
): string | undefined {
    if (typeof value !== "object" || value === null) return "it is not an object";
    for (const [field, expected] of Object.entries(shape)) {
        const actual: unknown = Reflect.get(value, field);
        if (typeof actual !== expected || actual === null) return `${field} must be a ${expected}`;
    }
    const name: unknown = Reflect.get(value, nameField);
    return namePattern.test(String(name)) ? undefined : `${nameField} must match ${namePattern}`;
}
