import type {
    AgentList,
    AgentListRequest,
    Check,
    ContextSource,
    Contribution,
    Observer,
    Provider,
    SlashCommand,
    Tool,
} from "../../plugin/index.js";

interface Contributed {
    readonly plugin: string;
    readonly contribution: unknown;
}

export interface Owned<Value> {
    readonly plugin: string;
    readonly value: Value;
}

/** Named contributions without their owners. */
export function valuesOf<Value>(contributed: ReadonlyMap<string, Owned<Value>>): Value[] {
    return [...contributed.values()].map(({ value }) => value);
}

/** The plugin name of North's own contributions. */
export const OWN_PLUGIN = "north-cli";

/** All contributions by name, and the problems of dropped ones. */
export interface Registry {
    readonly tools: ReadonlyMap<string, Owned<Tool>>;
    readonly providers: ReadonlyMap<string, Owned<Provider>>;
    readonly slashCommands: ReadonlyMap<string, Owned<SlashCommand>>;
    readonly contextSources: readonly Owned<ContextSource>[];
    readonly checks: readonly Owned<Check>[];
    readonly observers: readonly Owned<Observer>[];
    readonly agentLists: readonly Owned<(request: AgentListRequest) => Promise<AgentList>>[];
    readonly endings: readonly Owned<() => Promise<void>>[];
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
const TOOL_METHODS: Readonly<Record<string, Shape>> = {
    none: { execute: "function" },
    write: { propose: "function" },
    shell: { command: "function", execute: "function" },
    ask: { question: "function", execute: "function" },
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
const SOURCE_METHODS = ["prepare", "close", "begin", "forFiles", "forMessage"];
const CHECK_METHODS = [
    "beforeMessage",
    "beforeCall",
    "onProposal",
    "afterCall",
    "afterTurn",
    "onEvent",
];
const OBSERVER_METHODS = ["observe", "onEvent"];
const TOOL_NAME = /^[a-zA-Z0-9_-]{1,64}$/;
const PLAIN_NAME = /^[a-z0-9][a-z0-9-]*$/;
const COMMAND_NAME = /^[a-z0-9][a-z0-9_:.-]*$/;

/** The first contribution with a name wins. Never throws: `problems` has the invalid parts. */
export function buildRegistry(contributed: readonly Contributed[]): Registry {
    const tools = new Map<string, Owned<Tool>>();
    const providers = new Map<string, Owned<Provider>>();
    const slashCommands = new Map<string, Owned<SlashCommand>>();
    const contextSources: Owned<ContextSource>[] = [];
    const checks: Owned<Check>[] = [];
    const observers: Owned<Observer>[] = [];
    const agentLists: Owned<(request: AgentListRequest) => Promise<AgentList>>[] = [];
    const endings: Owned<() => Promise<void>>[] = [];
    const problems: string[] = [];
    for (const { plugin, contribution } of contributed) {
        const complain = (text: string) =>
            problems.push(plugin === OWN_PLUGIN ? text : `The plugin ${plugin}: ${text}`);
        if (!isContribution(contribution, complain)) continue;
        /** `kept`: a map if names must be unique. */
        const add = <Value extends object>(
            kind: string,
            values: readonly Value[] | undefined,
            kept: Map<string, Owned<Value>> | Owned<Value>[],
            problemOf: (value: Value) => string | undefined
        ): void => {
            for (const value of listOf(values)) {
                const name = nameOf(value);
                const owner = Array.isArray(kept) ? undefined : kept.get(name);
                const problem =
                    problemOf(value) ?? (owner && `the name is taken by ${owner.plugin}`);
                const what = Array.isArray(kept) ? kind : `${kind} ${name || "without a name"}`;
                if (problem) complain(`${what} was skipped: ${problem}`);
                else if (Array.isArray(kept)) kept.push({ plugin, value });
                else kept.set(name, { plugin, value });
            }
        };
        add("tool", contribution.tools, tools, toolProblem);
        add("provider", contribution.providers, providers, providerProblem);
        add("slash command", contribution.slashCommands, slashCommands, (command) =>
            shapeProblem(command, COMMAND_SHAPE, COMMAND_NAME)
        );
        add("a context source", contribution.contextSources, contextSources, (source) =>
            hookProblem(source, SOURCE_METHODS)
        );
        add("a check", contribution.checks, checks, checkProblem);
        add("an observer", contribution.observers, observers, observerProblem);
        const { close, listAgents } = contribution;
        if (typeof close === "function") {
            endings.push({ plugin, value: async () => close.call(contribution) });
        } else if (close !== undefined) {
            complain("close must be a function");
        }
        if (typeof listAgents === "function") {
            agentLists.push({
                plugin,
                value: async (asked) => listAgents.call(contribution, asked),
            });
        } else if (listAgents !== undefined) {
            complain("listAgents must be a function");
        }
        for (const problem of listOf(contribution.problems)) complain(oneLine(problem));
    }
    const parts = { contextSources, checks, observers, agentLists, endings };
    return { tools, providers, slashCommands, ...parts, problems };
}

function isContribution(value: unknown, complain: (text: string) => void): value is Contribution {
    if (typeof value !== "object" || value === null) {
        complain("its north:register hook returned nothing");
        return false;
    }
    const version = "apiVersion" in value ? value.apiVersion : undefined;
    if (version === 1) return true;
    complain(`it needs plugin API version ${String(version)}, this North has version 1`);
    return false;
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
    const problem = shapeProblem(tool, TOOL_SHAPE, TOOL_NAME);
    if (problem) return problem;
    const methods = TOOL_METHODS[tool.approval];
    if (!methods) return `approval must be none, write, shell or ask`;
    return shapeProblem(tool, methods, TOOL_NAME);
}

/** Node's maximum timer delay; a longer one would fire at once. */
const MAX_TIMER_MS = 2 ** 31 - 1;

function providerProblem(provider: Provider): string | undefined {
    const problem = shapeProblem(provider, PROVIDER_SHAPE, PLAIN_NAME, "id");
    if (problem) return problem;
    const { silenceMs = 1 } = provider;
    const isDelay = Number.isInteger(silenceMs) && silenceMs > 0 && silenceMs <= MAX_TIMER_MS;
    return isDelay ? undefined : `silenceMs must be a whole number from 1 to ${MAX_TIMER_MS}`;
}

function checkProblem(check: Check): string | undefined {
    const problem = hookProblem(check, CHECK_METHODS);
    if (problem) return problem;
    const { timeLimitMs = 1 } = check;
    const isLimit = Number.isFinite(timeLimitMs) && timeLimitMs > 0;
    return isLimit ? undefined : "timeLimitMs must be a number of milliseconds";
}

function observerProblem(observer: Observer): string | undefined {
    const listensToNothing = !observer?.observe && !observer?.onEvent;
    const problem = hookProblem(observer, OBSERVER_METHODS);
    return problem ?? (listensToNothing ? "it needs observe or onEvent" : undefined);
}

/** What is wrong with a part whose methods are all optional. */
function hookProblem(value: object, methods: readonly string[]): string | undefined {
    const problem = shapeProblem(value, { name: "string" }, /./);
    if (problem) return problem;
    const wrong = methods.find((method) => {
        const given: unknown = Reflect.get(value, method);
        return given !== undefined && typeof given !== "function";
    });
    return wrong && `${wrong} must be a function`;
}

function shapeProblem(
    value: object,
    shape: Shape,
    namePattern: RegExp,
    nameField = "name"
): string | undefined {
    if (typeof value !== "object" || value === null) return "it is not an object";
    for (const [field, expected] of Object.entries(shape)) {
        const actual: unknown = Reflect.get(value, field);
        if (typeof actual !== expected || actual === null) {
            return `${field} must be ${expected === "object" ? "an" : "a"} ${expected}`;
        }
    }
    const name: unknown = Reflect.get(value, nameField);
    return namePattern.test(String(name)) ? undefined : `${nameField} must match ${namePattern}`;
}
