import { NorthError } from "../../src/base/north-error.js";
import type { ModelInfo, SlashServices } from "../../src/plugin/index.js";

const MODEL: ModelInfo = {
    id: "model-0",
    aliases: ["m0"],
    displayName: "Model 0",
    contextTokens: 200_000,
    maxOutputTokens: 8_000,
};

type Overrides = {
    readonly [Name in Exclude<keyof SlashServices, "pluginTools">]?: Partial<SlashServices[Name]>;
};

/** The services of a session in which nothing has happened. What is given replaces a service. */
export function stubServices(overrides: Overrides = {}): SlashServices {
    const { session, conversation, changes, permissions, project, shell, keys } = overrides;
    const { costs, conversations } = overrides;
    return {
        session: {
            models: {
                current: () => MODEL,
                list: async () => [
                    { model: MODEL, provider: "anthropic", hasKey: true, isCurrent: true },
                ],
                select: async () => MODEL,
            },
            mode: { current: () => "agent", select: () => {} },
            thinking: {
                current: () => ({ on: false }),
                select: () => {
                    throw new NorthError("no-thinking", "This model does not think.");
                },
            },
            until: { current: () => undefined, set: () => {} },
            ...session,
        },
        conversation: {
            id: "abc123",
            name: "",
            rename: async () => {},
            fork: async () => [],
            plan: () => undefined,
            lastAnswer: () => "",
            startNew: async () => {},
            resume: async () => [],
            export: async () => "/project/north-abc123.md",
            askAside: () => refuse("no-answer", "There is no answer."),
            summarize: () => refuse("nothing-to-summarize", "There is nothing to summarize yet."),
            replies: () => [],
            contextUsage: () => ({ parts: [], totalTokens: 0, limitTokens: 200_000 }),
            hiddenOutputs: () => [],
            ...conversation,
        },
        conversations: { list: async () => [], ...conversations },
        changes: {
            planUndo: () => refuse("nothing-to-undo", "Nothing to undo."),
            planRewind: async () => undefined,
            turns: () => [],
            planDrop: (turn) => refuse("no-such-turn", `There is no turn ${turn}.`),
            planDraft: async () => undefined,
            planShrink: () => refuse("no-draft", "The conversation has no open draft."),
            rescues: { list: async () => [], restore: async () => ["/project/build/a"] },
            ...changes,
        },
        permissions: {
            approvals: {
                automatic: async () => ({ editsAutoAccept: false, shellAutoApprove: false }),
                setAutomatic: async () => {},
                automaticThisRun: () => ({ editsAutoAccept: false, shellAutoApprove: false }),
                setAutomaticThisRun: () => {},
                allowedCommands: async () => [],
                removeCommand: async () => {},
                allowedKeys: async () => [],
                removeKey: async () => {},
            },
            trust: { list: async () => [], allow: async () => {}, decline: async () => {} },
            ...permissions,
        },
        project: {
            memory: { list: async () => [], add: async () => {}, remove: async () => false },
            profile: {
                learn: () => refuse("no-model", "There is no model to learn with."),
                decline: async () => {},
            },
            review: () => refuse("no-such-target", "There is nothing to review."),
            race: () => refuse("check-unseeing", "The check would not see the drafts."),
            worktree: async () => undefined,
            ...project,
        },
        shell: {
            contained: async () => undefined,
            run: () => Promise.reject(new Error("There is no shell.")),
            jobs: {
                list: () => [],
                recent: () => "",
                stop: () => Promise.reject(new Error("There are no jobs.")),
            },
            containment: { mode: () => "auto", setMode: () => {}, describe: async () => [] },
            ...shell,
        },
        costs: { conversation: async () => [], allTime: async () => [], ...costs },
        keys: {
            providers: [],
            forget: () => refuse("unknown-provider", "No provider needs a key."),
            ...keys,
        },
        pluginTools: [],
    };
}

function refuse(code: string, message: string): Promise<never> {
    return Promise.reject(new NorthError(code, message));
}
