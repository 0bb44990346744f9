import { chooseThinking } from "../../src/core/registry/thinking.js";
import type {
    AllowedCommand,
    AutomaticApprovals,
    MemoryEntry,
    ChangedTurn,
    ConversationInfo,
    FileChange,
    HiddenOutput,
    Job,
    Mode,
    ModelCost,
    ModelInfo,
    Option,
    PlannedDraft,
    ReplyUsage,
    SlashCommand,
    SlashContext,
    ThinkingChoice,
    UnconfirmedGrant,
} from "../../src/plugin/index.js";
import { stubServices } from "./stub-services.js";

export const NOTHING_AUTOMATIC: AutomaticApprovals = {
    editsAutoAccept: false,
    shellAutoApprove: false,
};

export function modelInfo(id: string, alias: string, changes: Partial<ModelInfo> = {}): ModelInfo {
    const limits = { contextTokens: 200_000, maxOutputTokens: 8_000 };
    return { id, aliases: [alias], displayName: alias.toUpperCase(), ...limits, ...changes };
}

export const PRICES = { input: 3, output: 15, asOf: "2026-11-22", source: "test" };

export const MODELS = [
    {
        model: modelInfo("claude-sonnet-5-5", "sonnet-5.5", { prices: PRICES }),
        provider: "anthropic",
        hasKey: true,
        isCurrent: true,
    },
    {
        model: modelInfo("gpt-5.1", "gpt-5.1"),
        provider: "openai",
        hasKey: false,
        isCurrent: false,
    },
];

export const SONNET_COST: ModelCost = {
    provider: "anthropic",
    model: "claude-sonnet-5-5",
    costUsd: 1.5,
    requests: 3,
    unpricedRequests: 0,
    unconfirmedRequests: 0,
    inputTokens: 1_234_000,
    cacheReadTokens: 98_765,
    cacheWriteTokens: 567,
    outputTokens: 890,
};

export const UNDONE: FileChange = {
    path: "a.txt",
    before: Buffer.from("new"),
    beforeHash: "0".repeat(64),
    after: null,
};

export const CHANGED_TURN: ChangedTurn = {
    turn: 4,
    question: "Rename it",
    at: 1,
    files: ["a.ts"],
    inEffect: "all",
    line: "4  a.ts  Rename it",
};

export const EARLIER: ConversationInfo = {
    id: "3fa2c1",
    root: "/project",
    provider: "anthropic",
    model: "claude-sonnet-5-5",
    updatedAt: new Date(2026, 10, 22, 14, 5).getTime(),
    firstWords: "Fix the retry logic",
    messageCount: 4,
    costUsd: 0.1234,
    unpricedRequests: 0,
};

/** A session of plain values that notes what is done to it. */
export function openSlash(
    options: {
        picks?: string;
        costs?: readonly ModelCost[];
        confirms?: boolean | "left";
        isRedo?: boolean;
        draft?: PlannedDraft;
        model?: ModelInfo;
        conversations?: readonly ConversationInfo[];
        /** The warning of a list. */
        unread?: string;
        /** Cancels slow work before it begins. */
        cancels?: boolean;
        replies?: readonly ReplyUsage[];
        hidden?: readonly HiddenOutput[];
        lastAnswer?: string;
        brought?: readonly UnconfirmedGrant[];
        pluginTools?: SlashContext["pluginTools"];
        commands?: readonly SlashCommand[];
    } = {}
) {
    const printed: string[] = [];
    const done: string[] = [];
    const offered: Option[] = [];
    const state = {
        remembered: [
            { scope: "project", text: "Use tabs" },
            { scope: "global", text: "Be brief" },
        ] as readonly MemoryEntry[],
        mode: "agent" as Mode,
        thinking: { on: false } as ThinkingChoice,
        automatic: { editsAutoAccept: true, shellAutoApprove: true } as AutomaticApprovals,
        automaticThisRun: { ...NOTHING_AUTOMATIC },
        jobs: [
            { id: "1", command: "npm start", startedAt: Date.now(), state: "running" },
            { id: "2", command: "make", startedAt: 0, state: "exited", exitCode: 2 },
        ] as readonly Job[],
        allowedKeys: ["host:registry.example"] as readonly string[],
        allowed: [
            { command: "npm test", cwd: "" },
            { command: "npm test", cwd: "packages/app" },
            { command: "ls", cwd: "" },
        ] as readonly AllowedCommand[],
    };
    const stub = stubServices();
    const context: SlashContext = {
        ...stub,
        commands: options.commands ?? [],
        send: async ({ text }) => {
            done.push(`send ${text}`);
            return { stopReason: "end", text: "Done.", costUsd: 0 };
        },
        reviewDraft: async () => {
            done.push("review the draft");
            return { stopReason: "end", text: "", costUsd: 0 };
        },
        pluginTools: options.pluginTools ?? [],
        screen: {
            print: (text) => void printed.push(text),
            printVerbatim: (text) => void printed.push(text),
            pick: async (_title, choices) => {
                offered.push(...choices);
                return options.picks;
            },
            during: (label, work) => {
                done.push(label);
                if (options.cancels) return Promise.resolve(undefined);
                return work(new AbortController().signal, (next) => void done.push(next));
            },
            untilDone: (label, work) => {
                done.push(label);
                return work();
            },
            quit: () => void done.push("quit"),
            copy: async (copied) => void done.push(`copy ${copied}`),
            clearScreen: () => void done.push("clear"),
            ask: async () => undefined,
            choose: async () => undefined,
            edit: async (_name, text) => text,
            confirm: async (question, { details = [], lasts = false, always = false } = {}) => {
                const shown = details.length > 0 ? ` [${details.join()}]` : "";
                const extent = always ? " (always)" : lasts ? " (lasts)" : "";
                done.push(`${question}${shown}${extent}`);
                return options.confirms === "left" ? undefined : (options.confirms ?? false);
            },
            confirmChanges: async (question, { changes }) => {
                done.push(`${question}: ${changes.map(({ path }) => path).join(", ")}`);
                return options.confirms === true;
            },
            showChanges: async ({ changes }) =>
                void printed.push(`changes of ${changes.map(({ path }) => path).join()}`),
            showExchanges: () => void done.push("show"),
        },
        conversation: {
            id: "abc123",
            get name() {
                return done.findLast((each) => each.startsWith("name "))?.slice(5) ?? "";
            },
            rename: async (given) => void done.push(`name ${given}`),
            fork: async (turn) => {
                done.push(`fork ${turn}`);
                return ["2 later edits stay."];
            },
            plan: () => undefined,
            lastAnswer: () => options.lastAnswer ?? "",
            startNew: async () => void done.push("new"),
            resume: async (id) => {
                done.push(`resume ${id}`);
                return ["1 line was skipped."];
            },
            export: async (file) => `/project/${file ?? "north-abc123.md"}`,
            contextUsage: () => ({
                parts: [
                    { name: "system prompt", tokens: 1_234 },
                    { name: "memory", tokens: 50 },
                ],
                totalTokens: 1_284,
                reportedTokens: 1_300,
                limitTokens: 200_000,
            }),
            replies: () => options.replies ?? [],
            hiddenOutputs: () => options.hidden ?? [],
            askAside: async (question) => ({ text: `About ${question}`, costUsd: null }),
            summarize: async ({ keepLast, tell }) => {
                done.push(`summarize ${keepLast}`);
                tell("The server is busy.");
                return { messages: 12, before: 184_000, after: 21_500 };
            },
        },
        conversations: {
            async list({ progress, tell } = {}) {
                progress?.(50, 5_000);
                if (options.unread) tell?.(options.unread);
                return options.conversations ?? [];
            },
        },
        changes: {
            planUndo: async (turns) => ({
                changeSet: { changes: [UNDONE] },
                isRedo: options.isRedo ?? false,
                apply: async () => void done.push(`applied ${turns}`),
            }),
            planRewind: async () => undefined,
            turns: () => [CHANGED_TURN],
            planDrop: async (turn) =>
                turn === 1
                    ? { kind: "conflicts", conflicts: [{ path: "a.ts", line: 3, text: "a.ts:3" }] }
                    : {
                          kind: "ready",
                          planned: {
                              changeSet: { changes: [UNDONE] },
                              isRedo: false,
                              apply: async () => void done.push(`dropped ${turn}`),
                          },
                      },
            planDraft: async () => options.draft,
            planShrink: stub.changes.planShrink,
            rescues: stub.changes.rescues,
        },
        session: {
            ...stub.session,
            models: {
                current: () => options.model ?? MODELS[0]!.model,
                list: async () => MODELS,
                select: async (name) => {
                    done.push(`select ${name}`);
                    return MODELS[1]!.model;
                },
            },
            mode: { current: () => state.mode, select: (value) => (state.mode = value) },
            thinking: {
                current: () => state.thinking,
                select: (setting) => {
                    state.thinking = chooseThinking(setting, options.model ?? MODELS[0]!.model);
                    return state.thinking;
                },
            },
        },
        permissions: {
            approvals: {
                automatic: async () => state.automatic,
                setAutomatic: async (change) => {
                    state.automatic = { ...state.automatic, ...change };
                },
                automaticThisRun: () => state.automaticThisRun,
                setAutomaticThisRun: (change) => {
                    state.automaticThisRun = { ...state.automaticThisRun, ...change };
                },
                allowedCommands: async () => state.allowed,
                removeCommand: async (removed) => {
                    state.allowed = state.allowed.filter((one) => one !== removed);
                },
                allowedKeys: async () => state.allowedKeys,
                removeKey: async (removed) => {
                    state.allowedKeys = state.allowedKeys.filter((one) => one !== removed);
                },
            },
            trust: {
                list: async () => options.brought ?? [],
                allow: async ({ id }) => void done.push(`allow ${id}`),
                decline: async ({ id }) => void done.push(`decline ${id}`),
            },
        },
        project: {
            ...stub.project,
            memory: {
                list: async () => state.remembered,
                add: async (entry) => void (state.remembered = [...state.remembered, entry]),
                remove: async (removed) => {
                    const kept = state.remembered.filter((entry) => entry !== removed);
                    const isFound = kept.length < state.remembered.length;
                    state.remembered = kept;
                    return isFound;
                },
            },
            profile: {
                decline: async () => void done.push("decline learning"),
                learn: async ({ progress, tell }) => {
                    progress("Architecture Map", 10);
                    tell("Domain Model Vocabulary: The model answered nothing.");
                    return {
                        file: "/data/profile.md",
                        learned: ["Architecture Map"],
                        failed: [{ title: "Domain Model Vocabulary", reason: "Cancelled." }],
                        costUsd: 0.1234,
                    };
                },
            },
        },
        shell: {
            ...stub.shell,
            jobs: {
                list: () => state.jobs,
                recent: (id) => `job ${id} printed this\n`,
                stop: async (id) => {
                    done.push(`stop ${id}`);
                    return state.jobs[0]!;
                },
            },
        },
        costs: {
            conversation: async () => options.costs ?? [],
            allTime: async () => options.costs ?? [],
        },
        keys: {
            providers: ["anthropic", "openai"],
            forget: async (provider = "anthropic") => {
                done.push(`forget ${provider}`);
                return `The key for ${provider} is forgotten.`;
            },
        },
    };
    return { context, printed, done, offered, state, text: () => printed.join("\n") };
}
