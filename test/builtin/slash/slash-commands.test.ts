import { expect } from "chai";

import { allowlist } from "../../../src/builtin/slash/allowlist.js";
import { auto } from "../../../src/builtin/slash/auto.js";
import { clear } from "../../../src/builtin/slash/clear.js";
import { conversations } from "../../../src/builtin/slash/conversations.js";
import { context as contextCommand } from "../../../src/builtin/slash/context.js";
import { costs } from "../../../src/builtin/slash/costs.js";
import { expand } from "../../../src/builtin/slash/expand.js";
import { exportConversation } from "../../../src/builtin/slash/export.js";
import { jobs } from "../../../src/builtin/slash/jobs.js";
import { help } from "../../../src/builtin/slash/help.js";
import { learn } from "../../../src/builtin/slash/learn.js";
import { logout } from "../../../src/builtin/slash/logout.js";
import { memory } from "../../../src/builtin/slash/memory.js";
import { mode } from "../../../src/builtin/slash/mode.js";
import { model } from "../../../src/builtin/slash/model.js";
import { copy } from "../../../src/builtin/slash/copy.js";
import { fork } from "../../../src/builtin/slash/fork.js";
import { name } from "../../../src/builtin/slash/name.js";
import { newConversation } from "../../../src/builtin/slash/new.js";
import { exit, quit } from "../../../src/builtin/slash/quit.js";
import { resume } from "../../../src/builtin/slash/resume.js";
import { summarize } from "../../../src/builtin/slash/summarize.js";
import { thinking } from "../../../src/builtin/slash/thinking.js";
import { trust } from "../../../src/builtin/slash/trust.js";
import { drop } from "../../../src/builtin/slash/drop.js";
import { turns } from "../../../src/builtin/slash/turns.js";
import { undo } from "../../../src/builtin/slash/undo.js";
import { usage } from "../../../src/builtin/slash/usage.js";
import { chooseThinking } from "../../../src/core/registry/thinking.js";
import type {
    AllowedCommand,
    AutomaticApprovals,
    MemoryEntry,
    ChangedTurn,
    ConversationInfo,
    FileChange,
    HiddenContent,
    HiddenOutput,
    Job,
    Mode,
    ModelCost,
    ModelInfo,
    Option,
    ReplyUsage,
    SlashCommand,
    SlashContext,
    ThinkingChoice,
    UnconfirmedGrant,
} from "../../../src/plugin/index.js";

const NOTHING_AUTOMATIC: AutomaticApprovals = { editsAutoAccept: false, shellAutoApprove: false };

const COMMANDS: readonly SlashCommand[] = [
    contextCommand,
    memory,
    help,
    quit,
    exit,
    newConversation,
    conversations,
    resume,
    exportConversation,
    expand,
    undo,
    usage,
    summarize,
    learn,
    clear,
    model,
    mode,
    thinking,
    allowlist,
    auto,
    costs,
];

function modelInfo(id: string, alias: string, changes: Partial<ModelInfo> = {}): ModelInfo {
    const limits = { contextTokens: 200_000, maxOutputTokens: 8_000 };
    return { id, aliases: [alias], displayName: alias.toUpperCase(), ...limits, ...changes };
}

const PRICES = { input: 3, output: 15, asOf: "2026-11-22", source: "test" };

const MODELS = [
    {
        model: modelInfo("claude-sonnet-5-5", "sonnet-5.5", { prices: PRICES }),
        provider: "anthropic",
        hasKey: true,
    },
    { model: modelInfo("gpt-5.1", "gpt-5.1"), provider: "openai", hasKey: false },
];

const SONNET_COST: ModelCost = {
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

const UNDONE: FileChange = {
    path: "a.txt",
    before: Buffer.from("new"),
    beforeHash: "0".repeat(64),
    after: null,
};

const CHANGED_TURN: ChangedTurn = {
    turn: 4,
    question: "Rename it",
    at: 1,
    files: ["a.ts"],
    inEffect: "all",
    line: "4  a.ts  Rename it",
};

const EARLIER: ConversationInfo = {
    id: "3fa2c1",
    root: "/project",
    provider: "anthropic",
    model: "claude-sonnet-5-5",
    updatedAt: new Date(2026, 10, 22, 14, 5).getTime(),
    firstWords: "Fix the retry logic",
    messageCount: 4,
    costUsd: 0.1234,
};

/** A session of plain values that notes what is done to it. */
function open(
    options: {
        picks?: string;
        costs?: readonly ModelCost[];
        confirms?: boolean | "left";
        isRedo?: boolean;
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
        allowed: [
            { command: "npm test", cwd: "" },
            { command: "npm test", cwd: "packages/app" },
            { command: "ls", cwd: "" },
        ] as readonly AllowedCommand[],
    };
    const context: SlashContext = {
        print: (text) => void printed.push(text),
        printVerbatim: (text) => void printed.push(text),
        pick: async (_title, choices) => {
            offered.push(...choices);
            return options.picks;
        },
        during: (label, work) => {
            done.push(label);
            if (options.cancels) return Promise.resolve();
            return work(new AbortController().signal, (next) => void done.push(next));
        },
        quit: () => void done.push("quit"),
        copy: async (copied) => void done.push(`copy ${copied}`),
        clearScreen: () => void done.push("clear"),
        worktree: async () => undefined,
        commands: COMMANDS,
        ask: async () => undefined,
        send: async ({ text }) => {
            done.push(`send ${text}`);
            return { stopReason: "end", text: "Done.", costUsd: 0 };
        },
        pluginTools: options.pluginTools ?? [],
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
            lastAnswer: () => options.lastAnswer ?? "",
            startNew: async () => void done.push("new"),
            resume: async (id) => {
                done.push(`resume ${id}`);
                return ["1 line was skipped."];
            },
            export: async (file) => `/project/${file ?? "north-abc123.md"}`,
            replies: () => options.replies ?? [],
            hiddenOutputs: () => options.hidden ?? [],
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
        trust: {
            list: async () => options.brought ?? [],
            allow: async ({ id }) => void done.push(`allow ${id}`),
            decline: async ({ id }) => void done.push(`decline ${id}`),
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
        rescues: {
            list: async () => [],
            restore: async () => ["/project/build/a"],
        },
        changes: {
            planUndo: async (turns) => ({
                changeSet: { changes: [UNDONE] },
                isRedo: options.isRedo ?? false,
                apply: async () => void done.push(`applied ${turns}`),
            }),
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
        },
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
        costs: {
            conversation: async () => options.costs ?? [],
            allTime: async () => options.costs ?? [],
        },
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
        context: {
            usage: () => ({
                parts: [
                    { name: "system prompt", tokens: 1_234 },
                    { name: "memory", tokens: 50 },
                ],
                totalTokens: 1_284,
                reportedTokens: 1_300,
                limitTokens: 200_000,
            }),
        },
        keys: {
            providers: ["anthropic", "openai"],
            forget: async (provider = "anthropic") => {
                done.push(`forget ${provider}`);
                return `The key for ${provider} is forgotten.`;
            },
        },
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
        },
        shell: {
            contained: async () => undefined,
            run: () => Promise.reject(new Error("There is no shell.")),
        },
        until: { current: () => undefined, set: () => {} },
        jobs: {
            list: () => state.jobs,
            recent: (id) => `job ${id} printed this\n`,
            stop: async (id) => {
                done.push(`stop ${id}`);
                return state.jobs[0]!;
            },
        },
        containment: {
            mode: () => "auto",
            setMode: () => {},
            describe: async () => [],
        },
    };
    return { context, printed, done, offered, state, text: () => printed.join("\n") };
}

describe("Slash commands", () => {
    const BROUGHT: UnconfirmedGrant = {
        id: "1",
        path: ".north/allowlist.json",
        text: "run `make` at the root",
        isDeclined: false,
    };

    it("/trust asks about one item at a time, and a cancelled question decides nothing", async () => {
        for (const [confirms, expected] of [
            [
                true,
                [
                    "Allow: run `make` at the root (.north/allowlist.json, 1 of 2)? (always)",
                    "allow 1",
                ],
            ],
            [
                false,
                [
                    "Allow: run `make` at the root (.north/allowlist.json, 1 of 2)? (always)",
                    "decline 1",
                ],
            ],
        ] as const) {
            const brought = [BROUGHT, { ...BROUGHT, id: "2" }];
            const { context, done } = open({ brought, confirms });
            await trust.run("", context);
            expect(done.slice(0, 2)).to.deep.equal(expected);
            expect(done).to.have.lengthOf(4);
        }
        const { context, done } = open({ brought: [BROUGHT, BROUGHT], confirms: "left" });
        await trust.run("", context);
        expect(done).to.have.lengthOf(1);
    });

    it("/trust shows a long text below the question, and says what was denied before", async () => {
        const text = "x".repeat(101);
        const { context, done } = open({ brought: [{ ...BROUGHT, text, isDeclined: true }] });
        await trust.run("", context);
        expect(done[0]).to.equal(
            `Allow this (.north/allowlist.json, 1 of 1, denied before)? [${text}] (always)`
        );
    });

    it("/learn no declines the offer", async () => {
        const { context, done } = open();
        await learn.run("no", context);
        expect(done).to.deep.equal(["decline learning"]);
    });

    it("Every slash command has a consistent name, description and usage", () => {
        for (const { name, usage, description } of COMMANDS) {
            expect(name).to.match(/^[a-z-]+$/);
            expect(usage.split(" ")[0]).to.equal(`/${name}`);
            expect(description).to.match(/^[A-Z].*\.$/);
        }
    });

    it("/help lists every command and the keys", async () => {
        const { context, text } = open();
        await help.run("", context);
        for (const { usage, description } of COMMANDS) {
            expect(text()).to.contain(usage).and.to.contain(description);
        }

        expect(text()).to.contain("Ctrl+C twice, Ctrl+D").and.not.to.contain("Plugin tools");
    });

    it("/help keeps its second column aligned below an overlong usage", async () => {
        const { context, text } = open();
        await help.run("", context);
        const lines = text().split("\n");
        const index = lines.findIndex((line) => line.startsWith("  /auto ["));
        expect(lines[index]?.trim()).to.equal(auto.usage);
        const columns = lines.flatMap(
            (line) => /^ {2}(?:\/\S.*? )? +(?=[A-Z])/.exec(line)?.[0].length ?? []
        );
        expect(columns).to.have.length(COMMANDS.length);
        expect(new Set(columns)).to.have.lengthOf(1);
        expect(columns[0]).to.be.at.most(32);
        expect(lines[index + 1]?.trim()).to.equal(auto.description);
    });

    it("/help lists the tools of plugins, each with its plugin", async () => {
        const pluginTools = [
            { name: "count", plugin: "north-plugin-words" },
            { name: "files__read", plugin: "north-plugin-mcp" },
        ];
        const { context, text } = open({ pluginTools });
        await help.run("", context);
        expect(text().split("\n").slice(-3)).to.deep.equal([
            "Plugin tools",
            "  count        north-plugin-words",
            "  files__read  north-plugin-mcp",
        ]);
    });

    it("/quit and /exit quit, and /clear clears the screen", async () => {
        const { context, done } = open();
        await quit.run("", context);
        await exit.run("", context);
        await clear.run("", context);
        expect(done).to.deep.equal(["quit", "quit", "clear"]);
    });

    it("/clear says that the conversation continues, and how to start another", async () => {
        const { context, printed } = open({
            replies: [{ provider: "anthropic", model: "sonnet", usage: {}, costUsd: 0 }],
        });
        await clear.run("", context);
        expect(printed).to.deep.equal([
            "Screen cleared; the conversation continues (1.3K tokens). /new starts a new one.",
        ]);
    });

    it("/new starts a new conversation and says how to return to a non-empty one", async () => {
        const { context, done, text } = open({ conversations: [{ ...EARLIER, id: "abc123" }] });
        await newConversation.run("", context);
        expect(done).to.deep.equal(["new"]);
        expect(text()).to.contain("/resume abc123");
        const silent = open();
        await newConversation.run("", silent.context);
        expect(silent.text()).to.equal("New conversation.");
    });
});

describe("/summarize", () => {
    it("/summarize says what it saved and keeps the given number of messages", async () => {
        const { context, done, text } = open();
        await summarize.run(" --keep-last 4", context);
        expect(done).to.deep.equal(["Summarizing the conversation", "summarize 4"]);
        expect(text()).to.equal(
            "The server is busy.\n12 messages summarized: 184,000 tokens before, 21,500 now."
        );
        await summarize.run("", context);
        expect(done.at(-1)).to.equal("summarize undefined");
    });

    it("/summarize shows its usage for an invalid number", async () => {
        for (const typed of ["--keep-last", "--keep-last 0", "4", "--keep-last x"]) {
            const { context, done, text } = open();
            await summarize.run(typed, context);
            expect(done).to.deep.equal([]);
            expect(text()).to.equal("Usage: /summarize [--keep-last N]");
        }
    });
});

describe("/learn", () => {
    it("/learn shows its progress, the result, where it is stored and what it cost", async () => {
        const { context, done, text } = open();
        await learn.run("", context);
        expect(done).to.deep.equal(["Learning the project", "Learning: Architecture Map (10 %)"]);
        expect(text()).to.equal(
            [
                "Domain Model Vocabulary: The model answered nothing.",
                "1 of 2 topics learned for $0.12: /data/profile.md",
            ].join("\n")
        );
    });
});

describe("/conversations and /resume", () => {
    const READING = ["Reading conversations", "Reading conversations (50 of 5000)"];

    it("/conversations lists date, title and cost, and resumes the choice", async () => {
        const { context, done, offered, text } = open({
            picks: "3fa2c1",
            conversations: [EARLIER],
            unread: "Not listed.",
        });
        await conversations.run("", context);
        expect(offered).to.deep.equal([
            {
                value: "3fa2c1",
                label: "2026-11-22 14:05  Fix the retry logic",
                description: "3fa2c1, claude-sonnet-5-5, $0.12",
            },
        ]);
        expect(done).to.deep.equal([...READING, "resume 3fa2c1", "show"]);
        expect(text()).to.equal("Not listed.\n1 line was skipped.");
    });

    it("/conversations stays in the current conversation without a choice or another one", async () => {
        const { context, done } = open({ conversations: [EARLIER] });
        await conversations.run("", context);
        const alone = open();
        await conversations.run("", alone.context);
        expect([...done, ...alone.done]).to.deep.equal([...READING, ...READING]);
        expect(alone.text()).to.equal("This project has no other conversations.");
    });

    it("/conversations offers nothing after its reading was cancelled", async () => {
        const { context, offered, text } = open({ conversations: [EARLIER], cancels: true });
        await conversations.run("", context);
        expect([offered, text()]).to.deep.equal([[], ""]);
    });

    it("/resume takes an id, completes it, and offers the list without one", async () => {
        const { context, done, offered } = open({ conversations: [EARLIER] });
        await resume.run(" 3fa2c1 ", context);
        expect(done).to.deep.equal(["resume 3fa2c1", "show"]);
        expect(await resume.complete?.("3f", context)).to.deep.equal([
            { value: "3fa2c1", description: "Fix the retry logic" },
        ]);
        await resume.run("", context);
        expect(offered.length).to.equal(1);
    });
});

describe("/copy", () => {
    const lastAnswer = [
        "Run it:",
        "```sh",
        "npm test",
        "```",
        "- then",
        "  ````md",
        "  ```",
        "    in",
        "  ````",
    ].join("\n");

    it("/copy copies the last answer, or one of its code blocks without its fence", async () => {
        const { context, done, text } = open({ lastAnswer });
        for (const wanted of ["", "1", " 2 "]) await copy.run(wanted, context);
        expect(done).to.deep.equal([`copy ${lastAnswer}`, "copy npm test", "copy ```\n  in"]);
        expect(text()).to.equal(
            "Copied the answer (9 lines).\nCopied code block 1 of 2.\nCopied code block 2 of 2."
        );
    });

    it("/copy says how many code blocks there are, and when there is no answer", async () => {
        for (const wanted of ["3", "0"]) {
            const refused = await copy.run(wanted, open({ lastAnswer }).context).catch(nextSteps);
            expect(refused).to.deep.equal(["The last answer has 2 code blocks."]);
        }
        expect(await copy.run("", open().context).catch(String)).to.contain("no answer to copy");
    });

    const nextSteps = (error: unknown) => Reflect.get(Object(error), "nextSteps");
});

describe("/name and /fork", () => {
    it("/name sets the conversation's name, and shows it without an argument", async () => {
        const { context, text } = open();
        await name.run("", context);
        await name.run(' "Login fix" ', context);
        expect(text()).to.equal(
            "This conversation has no name. `/name TEXT` gives it one.\n" +
                'This conversation is called "Login fix".'
        );
    });

    it("/fork takes a turn number, reports what it keeps, and refuses anything else", async () => {
        const { context, done, text } = open();
        await fork.run("", context);
        await fork.run(" 3 ", context);
        expect(done).to.deep.equal(["fork undefined", "fork 3", "show"]);
        expect(text()).to.contain("Forked abc123 after turn 3. `/resume abc123` returns to it.");
        expect(text()).to.contain("2 later edits stay.");
        const refused = await fork.run("the third", context).catch(String);
        expect(refused).to.contain('"the third" is not a turn number.');
    });

    it("/resume takes a name in any case, and completes it", async () => {
        const named = { ...EARLIER, name: "Login fix" };
        const { context, done } = open({ conversations: [named] });
        await resume.run("login FIX", context);
        expect(done[0]).to.equal(`resume ${EARLIER.id}`);
        expect(await resume.complete?.("log", context)).to.deep.equal([
            { value: EARLIER.id, description: "Login fix" },
        ]);
    });
});

describe("/export", () => {
    it("/export says where the file is", async () => {
        const { context, text } = open();
        await exportConversation.run("", context);
        await exportConversation.run(" notes/talk.json ", context);
        expect(text()).to.equal("Wrote /project/north-abc123.md\nWrote /project/notes/talk.json");
    });
});

describe("/expand", () => {
    const hide = (
        kind: HiddenOutput["kind"],
        title: string,
        content: HiddenContent,
        isCut = false
    ): HiddenOutput => ({ kind, title, isCut, read: async () => content });
    const hidden = [
        hide("thinking", "Hm", { kind: "text", text: "Hm.\nYes." }),
        hide("result", "Reading a.ts", { kind: "json", value: { content: "1\n2" } }),
        hide("output", "Running npm test", { kind: "text", text: "ok 1\nok 2\n" }, true),
        hide("diff", "a.txt", { kind: "changes", changeSet: { changes: [UNDONE] } }),
        hide("output", "! ls", { kind: "text", text: "a\nb" }, true),
    ];
    const expanded = async (argument: string, outputs = hidden) => {
        const { context, text } = open({ hidden: outputs });
        await expand.run(argument, context);
        return text();
    };

    it("/expand shows the last cut output, or an earlier one, among others", async () => {
        expect(await expanded("")).to.equal("── Running npm test ──\n    ok 1\n    ok 2");
        expect(await expanded("2")).to.equal("── ! ls ──\n    a\n    b");
        expect(await expanded("3")).to.equal("There are only 2.");
    });

    it("/expand shows one kind of output, and says when nothing was cut", async () => {
        expect(await expanded("thinking")).to.contain("    Hm.\n    Yes.");
        expect(await expanded("result 1")).to.contain("── Reading a.ts ──\n    1\n    2");
        expect(await expanded("diff")).to.equal("changes of a.txt");
        expect(await expanded("", hidden.slice(0, 2))).to.contain("Hm.");
        expect(await expanded("", [])).to.equal("Nothing to expand.");
        expect(await expanded("output", hidden.slice(0, 1))).to.equal("Nothing to expand.");
        expect(await expanded("all")).to.contain("Usage: /expand");
    });

    it("/expand offers each output with its title", async () => {
        const { context } = open({ hidden });
        const values = (typed: string) =>
            [...(expand.complete!(typed, context) as readonly Option[])].map(
                ({ value, description }) => `${value} ${description ?? ""}`.trim()
            );
        expect(values("")).to.deep.equal([
            "1 Running npm test",
            "2 ! ls",
            "output",
            "diff",
            "result",
            "thinking",
        ]);
        expect(values("output ")).to.deep.equal(["output 1 Running npm test", "output 2 ! ls"]);
        expect(values("th")).to.deep.equal(["thinking"]);
    });
});

describe("/turns and /drop", () => {
    it("/turns lists the turns that changed files", async () => {
        const { context, text } = open();
        await turns.run("", context);
        expect(text()).to.equal("4  a.ts  Rename it");
    });

    it("/jobs lists background jobs, shows the output of one, and stops one", async () => {
        const { context, done, printed } = open();
        await jobs.run("", context);
        await jobs.run("2", context);
        await jobs.run("stop 1", context);
        await jobs.run("stop 1 2", context);
        expect(printed[0]).to.match(/^1 {2}running for \S+ {2}npm start\n2 {2}exit 2 +make$/);
        expect(printed.slice(1)).to.deep.equal([
            "job 2 printed this",
            "Stopped: npm start",
            "Usage: /jobs [ID | stop ID]",
        ]);
        expect(done).to.deep.equal(["stop 1"]);
        const offered = await jobs.complete?.("stop ", context);
        expect(offered).to.deep.equal([{ value: "stop 1", description: "npm start" }]);
    });

    it("/drop shows the edits of a turn and reverts them after a yes", async () => {
        const { context, done, text } = open({ confirms: true });
        await drop.run("4", context);
        expect(done).to.deep.equal(["Drop these edits: a.txt", "dropped 4"]);
        expect(text()).to.equal("Dropped the edits of turn 4 from 1 file. /undo reverses it.");
    });

    it("/drop shows conflicts and asks nothing", async () => {
        const { context, done, text } = open();
        await drop.run("1", context);
        expect(done).to.deep.equal([]);
        expect(text()).to.match(/Nothing was written\.\n+a\.ts:3$/);
    });

    it("/drop completes the numbers of turns with edits in place", async () => {
        const { context } = open();
        expect(await drop.complete?.("", context)).to.deep.equal([
            { value: "4", description: "Rename it" },
        ]);
    });
});

describe("/undo", () => {
    it("/undo shows the changes and reverts them after a yes", async () => {
        const { context, done, text } = open({ confirms: true });
        await undo.run("", context);
        expect(done).to.deep.equal(["Undo these changes: a.txt", "applied undefined"]);
        expect(text()).to.equal("Undid the edits to 1 file. /undo again redoes them.");
    });

    it("/undo changes nothing after a no", async () => {
        const { context, done, text } = open();
        await undo.run("3", context);
        expect(done).to.deep.equal(["Undo these changes: a.txt"]);
        expect(text()).to.equal("Nothing changed.");
    });

    it("/undo takes a number of turns and announces a redo", async () => {
        const { context, done } = open({ confirms: true, isRedo: true });
        await undo.run("2", context);
        expect(done).to.deep.equal(["Redo these changes: a.txt", "applied 2"]);
    });

    it("/undo accepts only a number", async () => {
        const { context, done, text } = open({ confirms: true });
        for (const argument of ["0", "-1", "all", "1.5"]) await undo.run(argument, context);
        expect(done).to.deep.equal([]);
        expect(text()).to.contain("Usage: /undo [TURNS]");
    });
});

describe("/model", () => {
    it("/model selects a model by name", async () => {
        const { context, done, text } = open();
        await model.run(" gpt-5.1 ", context);
        expect(done).to.deep.equal(["select gpt-5.1"]);
        expect(text()).to.equal("Model: GPT-5.1");
    });

    it("/model offers only models that are still served", async () => {
        const { context, done, offered } = open({ picks: "gpt-5.1" });
        await model.run("", context);
        expect(offered.filter(({ isCurrent }) => isCurrent)).to.have.length(1);
        expect(offered[0]?.isCurrent).to.equal(true);
        expect(offered.map(({ value, description }) => `${value}: ${description}`)).to.deep.equal([
            "claude-sonnet-5-5: sonnet-5.5, anthropic, 200K context, $3/$15 per M",
            "gpt-5.1: gpt-5.1, openai, 200K context, no key",
        ]);
        expect(done).to.deep.equal(["select gpt-5.1"]);
    });

    it("/model changes nothing when the choice is cancelled", async () => {
        const { context, done, printed } = open();
        await model.run("", context);
        expect([...done, ...printed]).to.deep.equal([]);
    });

    it("/model completes aliases, and dots equal dashes", async () => {
        const { context } = open();
        expect(await model.complete?.("sonnet-5-", context)).to.deep.equal([
            { value: "sonnet-5.5", description: "SONNET-5.5" },
        ]);
    });

    it("/model completes thinking variants once something is typed", async () => {
        const { context } = open();
        const thinks = modelInfo("deep-1", "deep", { thinking: "adaptive" });
        const models = [{ model: thinks, provider: "vendor", hasKey: true }];
        const listing = { ...context, models: { ...context.models, list: async () => models } };
        const completed = async (typed: string) =>
            (await model.complete?.(typed, listing))?.map(({ value }) => value);
        expect(await completed("")).to.deep.equal(["deep"]);
        expect(await completed("dee")).to.deep.equal(["deep", "deep-thinking"]);
    });
});

describe("/thinking", () => {
    const thinks = (changes: Partial<ModelInfo> = {}) =>
        modelInfo("deep-1", "deep", { thinking: "adaptive", efforts: ["low", "high"], ...changes });

    it("/thinking shows the state, turns thinking on and off, and takes an effort", async () => {
        const { context, printed } = open({ model: thinks() });
        for (const wish of ["", "on", "HIGH", "off"]) await thinking.run(wish, context);
        expect(printed).to.deep.equal([
            "Thinking: off",
            "Thinking: on",
            "Thinking: on, high effort",
            "Thinking: off",
        ]);
    });

    it("/thinking refuses what the model does not support and lists what it does", async () => {
        const refusal = async (wish: string, changes: Partial<ModelInfo>) => {
            const { context } = open({ model: thinks(changes) });
            return thinking.run(wish, context).then(
                () => "",
                (error: Error) => JSON.stringify({ ...error, message: error.message })
            );
        };
        expect(await refusal("on", { thinking: undefined })).to.contain("no thinking setting");
        expect(await refusal("high", { efforts: undefined })).to.contain(
            'no thinking level \\"high\\"'
        );
        expect(await refusal("medium", {})).to.contain("on, off, low, high");
        expect(await refusal("very", {})).to.contain('no thinking level \\"very\\"');
    });

    it("/thinking never says off for a model that cannot stop thinking", async () => {
        const { context, text } = open({ model: thinks({ alwaysThinks: true }) });
        await thinking.run("off", context);
        expect(text()).to.contain("decides").and.not.contain("off");
    });

    it("/thinking completes what the model supports", async () => {
        const { context } = open({ model: thinks() });
        const completions = await thinking.complete?.("", context);
        expect(completions?.map(({ value }) => value)).to.deep.equal(["on", "off", "low", "high"]);
    });
});

describe("/mode", () => {
    it("/mode sets the mode by name or by choice", async () => {
        const { context, state } = open({ picks: "agent" });
        await mode.run("ask", context);
        expect(state.mode).to.equal("ask");
        await mode.run("", context);
        expect(state.mode).to.equal("agent");
    });

    it("/mode refuses an unknown mode", async () => {
        const { context, state, text } = open();
        await mode.run("plan", context);
        expect(state.mode).to.equal("agent");
        expect(text()).to.contain('no mode "plan"').and.to.contain("/mode [ask|agent]");
    });

    it("/mode completes both modes", async () => {
        const { context } = open();
        const choices = await mode.complete?.("a", context);
        expect(choices?.map(({ value }) => value)).to.deep.equal(["ask", "agent"]);
    });
});

describe("/allowlist", () => {
    it("/allowlist shows commands with their folders", async () => {
        const { context, text } = open();
        await allowlist.run("", context);
        expect(text()).to.contain("  npm test\n  npm test  (in packages/app)\n  ls");
    });

    it("/allowlist removes a command in every folder", async () => {
        const { context, state } = open();
        await allowlist.run('remove "npm test"', context);
        expect(state.allowed).to.deep.equal([{ command: "ls", cwd: "" }]);
    });

    it("/allowlist refuses to remove commands by prefix", async () => {
        const { context, state, text } = open();
        await allowlist.run("remove npm", context);
        expect(state.allowed).to.have.length(3);
        expect(text()).to.equal("Not in the allowlist: npm");
    });
});

describe("/auto", () => {
    const both = { editsAutoAccept: true, shellAutoApprove: true };

    it("/auto shows which approvals are automatic and how to revoke them", async () => {
        const { context, text, state } = open();
        await auto.run("", context);
        expect(text()).to.contain("edits: automatic in this project (/auto edits off)");
        expect(text()).to.contain("commands: automatic in this project (/auto commands off)");
        expect(state.automatic).to.deep.equal(both);
    });

    it("Automatic approvals are revoked one by one or both, those of this run too", async () => {
        const { context, state } = open();
        state.automaticThisRun = both;
        await auto.run("edits  off", context);
        const commandsOnly = { editsAutoAccept: false, shellAutoApprove: true };
        expect(state.automatic).to.deep.equal(commandsOnly);
        expect(state.automaticThisRun).to.deep.equal(commandsOnly);
        await auto.run("off", context);
        expect(state.automatic).to.deep.equal(NOTHING_AUTOMATIC);
        expect(state.automaticThisRun).to.deep.equal(NOTHING_AUTOMATIC);
    });

    it("Commands become automatic after a yes only, until North ends or for good", async () => {
        for (const confirms of [false, true]) {
            const { context, state, done } = open({ confirms });
            state.automatic = NOTHING_AUTOMATIC;
            await auto.run("commands", context);
            expect(done.join()).to.match(
                /^Run all commands without asking, until you quit\? .* \(lasts\)$/
            );
            expect(state.automaticThisRun.shellAutoApprove).to.equal(confirms);
            expect(state.automatic.shellAutoApprove).to.equal(false);
            await auto.run("commands --always", context);
            expect(done.at(-1)).to.match(/from now on\? .* \(always\)$/);
            expect(state.automatic.shellAutoApprove).to.equal(confirms);
            expect(state.automatic.editsAutoAccept).to.equal(false);
        }
    });

    it("Unknown arguments to /auto make nothing automatic", async () => {
        for (const words of ["edits on", "--always", "shell off", "all"]) {
            const { context, state, text } = open({ confirms: true });
            state.automatic = NOTHING_AUTOMATIC;
            await auto.run(words, context);
            expect(state.automatic).to.deep.equal(NOTHING_AUTOMATIC);
            expect(text()).to.contain("Usage:");
        }
    });
});

describe("/costs", () => {
    const mistral = { ...SONNET_COST, provider: "mistral", model: "medium", costUsd: 0.004 };
    const shown = async (models: readonly ModelCost[]) => {
        const { context, text } = open({ costs: models });
        await costs.run("", context);
        const [conversation = ""] = text().split("\n\n");
        return conversation.split("\n");
    };

    it("/costs shows each model, and sums for a provider with several and for all", async () => {
        expect(await shown([SONNET_COST, { ...SONNET_COST, model: "new" }, mistral])).to.deep.equal(
            [
                "This conversation",
                "  anthropic            2,469,134 in, 197,530 cached, 1,780 out  $3.00",
                "    claude-sonnet-5-5     1,234,567 in, 98,765 cached, 890 out  $1.50",
                "    new                   1,234,567 in, 98,765 cached, 890 out  $1.50",
                "  mistral/medium          1,234,567 in, 98,765 cached, 890 out  $0.004",
                "  total                3,703,701 in, 296,295 cached, 2,670 out  $3.00",
            ]
        );
    });

    it("/costs shows no sum that repeats a line", async () => {
        expect(await shown([SONNET_COST])).to.deep.equal([
            "This conversation",
            "  anthropic/claude-sonnet-5-5  1,234,567 in, 98,765 cached, 890 out  $1.50",
        ]);
    });

    it("/costs never shows an unknown price as zero", async () => {
        const unknown = { ...SONNET_COST, model: "new", costUsd: 0, unpricedRequests: 3 };
        const { context, text } = open({ costs: [SONNET_COST, unknown] });
        await costs.run("", context);
        expect(text()).to.match(/ anthropic\/new +.* unknown\n/);
        expect(text()).to.match(/total +.*\$1\.50 \+ unknown/);
    });

    it("/costs marks an unconfirmed price", async () => {
        const unsure = { ...SONNET_COST, model: "new", unconfirmedRequests: 1 };
        const { context, text } = open({ costs: [SONNET_COST, unsure] });
        await costs.run("", context);
        expect(text()).to.match(/ anthropic\/new +.*\$1\.50, price unconfirmed\n/);
        expect(text()).to.match(/ anthropic\/claude-sonnet-5-5 +.*\$1\.50\n/);
    });

    it("/costs says when nothing has been spent yet", async () => {
        const { context, text } = open();
        await costs.run("", context);
        expect(text()).to.equal("This conversation\n  nothing yet\n\nAll time\n  nothing yet");
    });
});

describe("/memory", () => {
    it("/memory lists project and global entries with one numbering", async () => {
        const { context, text } = open();
        await memory.run("", context);
        expect(text()).to.equal("In this project:\n  1. Use tabs\nEverywhere:\n  2. Be brief");
    });

    it("/memory adds to the project, or globally with --global, and keeps quotes out", async () => {
        const { context, state } = open();
        await memory.run("add Run npm test first", context);
        await memory.run('add --global "never use /costs here"', context);
        expect(state.remembered.slice(2)).to.deep.equal([
            { scope: "project", text: "Run npm test first" },
            { scope: "global", text: "never use /costs here" },
        ]);
    });

    it("/memory removes by number and reports an unknown number", async () => {
        const { context, state, text } = open();
        await memory.run("remove 2", context);
        await memory.run("remove 7", context);
        expect(state.remembered).to.deep.equal([{ scope: "project", text: "Use tabs" }]);
        expect(text()).to.contain("Removed: Be brief").and.to.contain("There is no entry 7");
    });

    it("/memory shows its usage for an unknown argument", async () => {
        const { context, printed } = open();
        for (const argument of ["add", "remove", "remove x", "toss 1"]) {
            await memory.run(argument, context);
        }

        expect(new Set(printed)).to.deep.equal(new Set([`Usage: ${memory.usage}`]));
    });
});

describe("/context", () => {
    it("/context shows each part with its tokens and share, the total and the limit", async () => {
        const { context, text } = open();
        await contextCommand.run("", context);
        expect(text().split("\n")).to.deep.equal([
            "Context, in estimated tokens",
            "  system prompt    1,234  0.6 %",
            "  memory              50  0.0 %",
            "  total            1,284  0.6 %",
            "  limit          200,000",
            "The provider counted 1,300 with the last answer.",
        ]);
    });
});

describe("/usage", () => {
    const reply = (counts: ReplyUsage["usage"]): ReplyUsage => ({
        provider: "anthropic",
        model: "sonnet",
        usage: counts,
        costUsd: null,
    });

    it("/usage adds up each kind of token and says how much came from the cache", async () => {
        const first = reply({ inputTokens: 1_000, cacheWriteTokens: 3_000, outputTokens: 50 });
        const others = Array.from({ length: 6 }, () =>
            reply({ inputTokens: 0, cacheReadTokens: 4_000, outputTokens: 10 })
        );
        const { context, text } = open({ replies: [first, ...others] });
        await usage.run("", context);
        expect(text()).to.equal(
            [
                "This conversation, in tokens",
                "  input              1,000",
                "  read from cache   24,000",
                "  written to cache   3,000",
                "  output               110",
                "7 requests; 86 % of what was sent came from the cache",
                "  3. 4,000 in (100 % cached), 10 out  sonnet",
                "  4. 4,000 in (100 % cached), 10 out  sonnet",
                "  5. 4,000 in (100 % cached), 10 out  sonnet",
                "  6. 4,000 in (100 % cached), 10 out  sonnet",
                "  7. 4,000 in (100 % cached), 10 out  sonnet",
                "Context: 1,300 of 200,000 tokens (1 %)",
            ].join("\n")
        );
    });

    it("/usage says when no tokens have been used yet", async () => {
        const { context, text } = open();
        await usage.run("", context);
        expect(text()).to.contain("  nothing yet\nContext: 1,300");
    });
});

describe("/logout", () => {
    it("/logout removes the key of the current or the named provider and says what remains", async () => {
        const { context, done, printed } = open();
        await logout.run("", context);
        await logout.run(" openai ", context);
        expect(done).to.deep.equal(["forget anthropic", "forget openai"]);
        expect(printed).to.deep.equal([
            "The key for anthropic is forgotten.",
            "The key for openai is forgotten.",
        ]);
    });

    it("/logout completes the providers that need a key", async () => {
        const { context } = open();
        expect(await logout.complete?.("o", context)).to.deep.equal([{ value: "openai" }]);
    });
});
