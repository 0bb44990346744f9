import { expect } from "chai";
import type {
    ModelEvent,
    PlainTool,
    Provider,
    SlashCommand,
    Tool,
} from "../../src/plugin/index.js";
import { NorthError } from "../../src/base/north-error.js";
import {
    checkCancelled,
    checkCheck,
    checkContextSource,
    checkModels,
    checkObserver,
    checkProvider,
    checkReply,
    checkSlashCommand,
    checkTool,
    ContractError,
    runSlashCommand,
    runTool,
    sampleRequest,
    toolContext,
} from "../../src/plugin-testing/index.js";

const tool: PlainTool = {
    name: "clock",
    description: "Tells the time.",
    inputSchema: { type: "object", properties: { zone: { type: "string" } } },
    readOnly: true,
    approval: "none",
    intent: () => "Looking at the clock",
    execute: async () => ({ ok: true, data: { hour: 12 } }),
};
const samples = { accepted: [{ zone: "UTC" }] };

const replies: readonly ModelEvent[] = [
    { type: "text", text: "Noon." },
    { type: "usage", usage: { inputTokens: 3, outputTokens: 2 } },
    { type: "stop", reason: "end" },
];

const provider: Provider = {
    id: "sundial",
    displayName: "Sundial",
    models: [
        {
            id: "sundial-1",
            aliases: ["sun"],
            displayName: "Sundial 1",
            contextTokens: 1_000,
            maxOutputTokens: 100,
            prices: { input: 1, output: 1, asOf: "2026-11-22", source: "https://example.org" },
        },
    ],
    baseURLVariable: "SUNDIAL_BASE_URL",
    connect: async ({ baseURL }) => ({
        async *stream(_request, { signal }) {
            signal.throwIfAborted();
            if (baseURL !== undefined) {
                throw new NorthError("network", "Nobody there.", [], { retryable: true });
            }

            yield* replies;
        },
    }),
};

async function problemsOf(check: () => unknown): Promise<readonly string[]> {
    try {
        await check();
    } catch (error) {
        if (error instanceof ContractError) return error.problems;
        throw error;
    }
    return [];
}

describe("Contract kit", () => {
    it("A tool that satisfies the contract passes", async () => {
        await checkTool(tool, samples);
        expect(await runTool(tool, {})).to.deep.equal({ ok: true, data: { hour: 12 } });
    });

    it("Each fault of a tool is named", async () => {
        const broken: readonly [Partial<Tool> & object, RegExp][] = [
            [{ name: "has space" }, /name must match/],
            [{ description: " " }, /description is empty/],
            [{ inputSchema: { type: "string" } }, /"type": "object"/],
            [{ inputSchema: { type: "object", required: 1 } }, /inputSchema cannot be used/],
            [{ inputSchema: { type: "object", required: ["x"] } }, /rejects the sample/],
            [{ approval: "write" }, /propose must be a function.*class write cannot be readOnly/],
            [{ approval: "ask" }, /question must be a function/],
            [{ intent: () => "two\nlines" }, /is not one line/],
            [{ intent: () => JSON.parse("{") }, /intent\(.*\) threw SyntaxError/],
            [{ intent: (input) => Object.assign(Object(input), { a: 1 }).a }, /intent\(.*\) threw/],
        ];
        for (const [change, expected] of broken) {
            const problems = await problemsOf(() =>
                checkTool({ ...tool, ...change } as Tool, samples)
            );
            expect(problems.join(" "), JSON.stringify(change)).to.match(expected);
        }
        const open = await problemsOf(() => checkTool(tool, { ...samples, refused: [{ a: 1 }] }));
        expect(open).to.deep.equal(['inputSchema accepts {"a":1}']);
    });

    it("The faults of a result are named", async () => {
        const answers: readonly [unknown, RegExp][] = [
            [{ ok: true, data: new Map() }, /data does not survive JSON/],
            [{ ok: true, data: { at: new Date(0) } }, /data does not survive JSON/],
            [{ ok: false, error: { code: "No Code", message: "x" } }, /not kebab-case/],
            [{ ok: true, data: 1, content: "text" }, /content is not a list/],
            [
                {
                    ...{ ok: true, data: 1 },
                    content: [
                        { type: "text", text: "fine" },
                        { type: "image", mediaType: "image/png", data: "R0lGODlh" },
                        { type: "document", mediaType: "image/gif", data: "R0lGODlh" },
                        { type: "file" },
                    ],
                },
                /^part 2 of its content [^,]*,part 3 [^,]*,part 4 [^,]*$/,
            ],
        ];
        for (const [answer, expected] of answers) {
            const answering = { ...tool, execute: async () => answer } as Tool;
            const problems = await problemsOf(() => runTool(answering, {}));
            expect(problems.join()).to.match(expected);
        }
        const throwing = { ...tool, execute: async () => JSON.parse("{") } as Tool;
        expect((await problemsOf(() => runTool(throwing, {}))).join()).to.match(/no northError/);
        const reading = {
            ...tool,
            execute: async (_input: unknown, { workspace }) => ({
                ok: true,
                data: await workspace.files(),
            }),
        } as Tool;
        expect((await problemsOf(() => runTool(reading, {}))).join()).to.match(/workspace\.files/);
    });

    it("A tool that ignores a cancel is noticed", async () => {
        const waiting = (ends: boolean): Tool => ({
            ...tool,
            execute: (_input, { signal }) =>
                new Promise((_resolve, reject) => {
                    if (ends) signal.addEventListener("abort", () => reject(signal.reason));
                }),
        });
        await checkCancelled(waiting(true), {}, toolContext());
        const stuck = await checkCancelled(waiting(false), {}).catch(String);
        expect(stuck).to.match(/cancelled, took more than/);
    });

    it("A provider is checked while streaming, when cancelled and without its server", async () => {
        const setting = { connection: {}, requests: [sampleRequest(provider)] };
        expect(await checkProvider(provider, setting)).to.deep.equal([replies]);
        const deaf: Provider = {
            ...provider,
            connect: async () => ({
                async *stream() {
                    yield* replies;
                },
            }),
        };
        const problems = await problemsOf(() => checkProvider(deaf, setting));
        expect(problems).to.have.lengthOf(2);
        expect(problems.join()).to.match(/cancelled request must reject.*retryable ExpectedError/);
    });

    it("A provider without a server is checked without settings", async () => {
        const mime: Provider = {
            id: "mime",
            displayName: "Mime",
            models: provider.models,
            connect: async () => ({
                async *stream(_request, { signal }) {
                    signal.throwIfAborted();
                    yield* replies;
                },
            }),
        };
        expect(await checkProvider(mime)).to.deep.equal([replies]);
    });

    it("A provider with a server is not checked against its vendor", async () => {
        const failure = await checkProvider(provider).catch(String);
        expect(failure).to.contain("Provider sundial needs a test server");
    });

    it("The faults of a provider's models are named", async () => {
        const [model] = provider.models;
        const broken = {
            ...provider,
            id: "Sun Dial",
            silenceMs: 0,
            models: [
                { ...model!, maxOutputTokens: 2_000, replacedBy: "sundial-2" },
                { ...model!, id: "sun", prices: { ...model!.prices!, asOf: "today" } },
            ],
            describe: () => model,
        };
        expect(await problemsOf(() => checkModels(broken))).to.have.lengthOf(7);
    });

    it("The faults of a reply are named", async () => {
        const call = { type: "tool-call", callId: "1", name: "a", input: {} } as const;
        const stop = { type: "stop", reason: "end" } as const;
        const usage = (outputTokens: number) =>
            ({ type: "usage", usage: { outputTokens } }) as const;
        const broken: readonly [readonly ModelEvent[], RegExp][] = [
            [[], /0 stop events/],
            [[stop, { type: "text", text: "more" }], /stop is not its last/],
            [[call, stop], /stops with end after 1 tool calls/],
            [[call, call, { type: "stop", reason: "tool-calls" }], /appears twice/],
            [[{ type: "tool-call-start", callId: "1", name: "a" }, stop], /never came: 1/],
            [[usage(5), usage(4), stop], /outputTokens went down to 4/],
            [
                [{ type: "usage", usage: { webSearches: 2 } }, stop],
                /it counts 2 searches of the web and reports no query/,
            ],
            [[{ type: "thinking", text: "hm" }, stop], /before thinking has ended/],
        ];
        for (const [events, expected] of broken) {
            expect((await problemsOf(() => checkReply(events))).join()).to.match(expected);
        }

        checkReply([{ type: "thinking", text: "hm" }, { type: "thinking-end" }, stop]);
    });

    it("A context source that keeps the contract passes, and one that does not gets every fault reported", async () => {
        const part = { kind: "tickets", id: "open", text: "#1 is open." };
        const parts = await checkContextSource({ name: "tickets", begin: async () => [part] });
        expect(parts).to.deep.equal([part]);
        const problems = await checkContextSource({
            name: "",
            begin: () => Promise.reject(new Error("no")),
            forFiles: async () => [{ ...part, text: "" }],
            forMessage: async () => "text" as never,
        }).catch((error: unknown) => (error instanceof ContractError ? error.problems : error));
        expect(problems).to.have.length(4);
    });

    it("A check that keeps the contract passes, and one that does not gets every fault reported", async () => {
        await checkCheck({
            name: "guard",
            beforeCall: async () => ({ deny: "no" }),
            onProposal: async () => [],
            afterTurn: async () => undefined,
        });
        const problems = await checkCheck({
            name: "bad",
            timeLimitMs: 10,
            beforeCall: () => new Promise(() => {}),
            onProposal: async () => ({}) as never,
            afterCall: async () => "note" as never,
        }).catch((error: unknown) => (error instanceof ContractError ? error.problems : error));
        expect(problems).to.have.length(3);
        expect(await checkCheck({ name: "none" }).catch(String)).to.contain("it has none of");
    });

    it("A slash command that keeps the contract passes, and what it did is reported", async () => {
        const command: SlashCommand = {
            name: "tickets",
            description: "List tickets.",
            usage: "/tickets [ID]",
            complete: (typed) => [{ value: `${typed}1` }],
            async run(id, { screen, send, session }) {
                await screen.during("Asking", async () => screen.print(`ticket ${id}`));
                await send({ text: `Look at it with ${session.models.current().id}.` });
            },
        };
        const session = { models: { current: () => provider.models[0]! } as never };
        await checkSlashCommand(command);
        expect(await runSlashCommand(command, "7", { session })).to.deep.equal({
            printed: ["ticket 7"],
            sent: [{ text: "Look at it with sundial-1." }],
        });
        for (const [parts, name] of [
            [{}, "session"],
            [{ session: {} }, "session.models"],
        ] as const) {
            const problems = await problemsOf(() => runSlashCommand(command, "7", parts));
            expect(problems.join()).to.contain(`it used ${name}, which the test did not provide`);
        }
    });

    it("Each fault of a slash command is named", async () => {
        const bad = {
            name: "Tickets",
            description: "two\nlines",
            usage: "tickets",
            complete: async () => ["1"] as never,
            run: async (_text: string, { screen }: Parameters<SlashCommand["run"]>[1]) =>
                screen.during("Asking", () => Promise.reject(new TypeError("out of order"))),
        };
        expect(await problemsOf(() => checkSlashCommand(bad))).to.have.length(4);
        expect((await problemsOf(() => runSlashCommand(bad))).join()).to.match(/out of order/);
        const refusing = { ...bad, run: () => Promise.reject(new NorthError("no", "Not now.")) };
        expect(await runSlashCommand(refusing).catch(String)).to.contain("Not now.");
    });

    it("An observer that survives a whole conversation passes, and one that fails gets each failure reported", async () => {
        const seen: string[] = [];
        const note = ({ type }: { readonly type: string }) => void seen.push(type);
        await checkObserver({ name: "journal", observe: note, onEvent: note });
        expect(seen).to.include.members(["conversation_started", "turn-finished"]);
        const problems = await problemsOf(() =>
            checkObserver({
                name: "strict",
                observe: ({ type }) => expect(type).not.to.equal("not_known_yet"),
                onEvent: ({ type }) => void expect(type).not.to.match(/^request/),
            })
        );
        expect(problems).to.have.length(3);
        expect(await problemsOf(() => checkObserver({ name: "deaf" }))).to.deep.equal([
            "it has neither observe nor onEvent",
        ]);
    });
});
