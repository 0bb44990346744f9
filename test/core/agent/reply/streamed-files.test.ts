import { execFileSync } from "node:child_process";
import * as fs from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect } from "chai";
import type { ModelEvent, PlainTool, StopReason } from "../../../../src/plugin/index.js";
import { NorthError } from "../../../../src/base/north-error.js";
import type { ApprovalRequest, Decision } from "../../../../src/core/approval/approver.js";
import { TurnStopped } from "../../../../src/core/agent/turn.js";
import { Conversation } from "../../../../src/core/conversation/fold.js";
import { createStaging } from "../../../../src/storage/files/staging.js";
import { createChangeApplier } from "../../../../src/workspace/apply/apply-change-set.js";
import { openWorkspace } from "../../../../src/workspace/open-workspace.js";
import { calls, says, ScriptedModel, type ScriptedReply } from "../../../helpers/scripted-model.js";
import { drain, type HarnessOptions, turnHarness } from "../../../helpers/turn.js";

const block = (file: string, content: string, extra = "") =>
    `<NORTH_FILE path="${file}"${extra}>\n${content}</NORTH_FILE>\n`;

const broken = () =>
    new NorthError("incomplete-stream", "The reply broke off.", [], { retryable: true });

function stops(text: string, reason: StopReason): ModelEvent[] {
    return [
        { type: "text", text },
        { type: "stop", reason },
    ];
}

describe("Streamed files", () => {
    let folder = "";
    let root = "";
    let asked: ApprovalRequest[] = [];

    beforeEach(() => {
        folder = fs.realpathSync(fs.mkdtempSync(path.join(tmpdir(), "north-streamed-")));
        root = path.join(folder, "repository");
        fs.mkdirSync(path.join(root, ".git"), { recursive: true });
        asked = [];
    });
    afterEach(() => fs.rmSync(folder, { recursive: true, force: true }));

    const staging = () => createStaging(path.join(folder, "staging", "abc123"));
    const put = (file: string, content: string | Buffer) =>
        fs.writeFileSync(path.join(root, file), content);
    const get = (file: string) => fs.readFileSync(path.join(root, file), "utf8");
    const exists = (file: string) => fs.existsSync(path.join(root, file));

    /** A turn on real folders, in which the user decides like this. */
    function harness(
        script: ScriptedReply[],
        decide: (request: ApprovalRequest) => Decision | Promise<Decision> = () => ({
            kind: "approve",
        }),
        overrides: HarnessOptions = {},
        tools: PlainTool[] = []
    ) {
        const model = new ScriptedModel(script);
        const approver = {
            decide: async (request: ApprovalRequest) => {
                asked.push(request);
                return decide(request);
            },
        };
        const made = turnHarness(model, tools, {
            workspace: openWorkspace({ root }),
            applier: createChangeApplier({ root }),
            staging: staging(),
            approver,
            ...overrides,
        });
        return { ...made, model };
    }

    /** What the model was told by North, in its last request. */
    const told = (model: ScriptedModel) =>
        (model.requests.at(-1)?.messages ?? [])
            .slice(1)
            .flatMap((message) => (message.role === "user" ? message.content : []))
            .map((part) => (part.type === "text" ? part.text : ""));

    it("A streamed file is written after one approval and is left out of the answer", async () => {
        const text = `Here it is.\n${block("src/a.ts", "one\ntwo\n")}There it was.`;
        const { turn, model } = harness([says(text), says("Done.")]);
        const { events, outcome } = await drain(turn);
        expect(get("src/a.ts")).to.equal("one\ntwo\n");
        expect(asked).to.have.length(1);
        expect(asked[0]).to.deep.include({ kind: "write" });
        const shown = events.flatMap((event) => (event.type === "text-delta" ? event.text : []));
        expect(shown.join("")).to.equal("Here it is.\nThere it was.Done.");
        expect(outcome).to.deep.include({ stopReason: "end", text: "Done.", requests: 2 });
        expect(told(model)).to.deep.equal([
            '<system-reminder>\nNORTH_FILE src/a.ts: {"ok":true,"data":{"applied":"all",' +
                '"files":[{"path":"src/a.ts","linesAdded":2,"linesRemoved":0}]}}\n</system-reminder>',
        ]);
        expect(staging().paths()).to.deep.equal([]);
        expect(events.find(({ type }) => type === "file-finished")).to.deep.include({
            path: "src/a.ts",
            ok: true,
            lines: 2,
        });
        const kinds = events.map(({ type }) => type);
        expect(kinds.indexOf("review-settled")).to.be.greaterThan(kinds.indexOf("file-progress"));
    });

    it("A streamed file is staged outside the repository as it arrives", async () => {
        const seen: (string | undefined)[] = [];
        const { turn } = harness([
            async function* () {
                for (const text of [
                    '<NORTH_FILE path="a.ts">\none\n',
                    "tw",
                    "o\n",
                    "</NORTH_FILE>",
                ]) {
                    yield { type: "text", text } as const;
                    yield { type: "usage", usage: {} } as const;
                    seen.push(exists("a.ts") ? "written" : staging().read("a.ts"));
                }
                yield { type: "stop", reason: "end" } as const;
            },
            says("Done."),
        ]);
        const { events } = await drain(turn);
        expect(seen).to.deep.equal(["one\n", "one\ntw", "one\ntwo\n", "one\ntwo\n"]);
        const progress = events.flatMap((event) =>
            event.type === "file-progress" ? event.lines : []
        );
        expect(progress).to.deep.equal([1, 2]);
        expect(get("a.ts")).to.equal("one\ntwo\n");
    });

    it("A rejected file is discarded and leaves the existing file untouched", async () => {
        put("a.ts", "old\n");
        const { turn, model } = harness([says(block("a.ts", "new\n")), says("I see.")], () => ({
            kind: "deny",
            reason: "not this",
        }));
        await drain(turn);
        expect(get("a.ts")).to.equal("old\n");
        expect(told(model)[0]).to.contain('"code":"rejected"').and.contain("Reason: not this");
        expect(staging().paths()).to.deep.equal([]);
    });

    it("A streamed file is shown as a diff that keeps the existing line endings and BOM", async () => {
        put("a.ts", "\ufeffone\r\ntwo\r\n");
        fs.chmodSync(path.join(root, "a.ts"), 0o755);
        const { turn } = harness([says(block("a.ts", "one\nTWO\n")), says("Done.")]);
        await drain(turn);
        expect(get("a.ts")).to.equal("\ufeffone\r\nTWO\r\n");
        expect(fs.statSync(path.join(root, "a.ts")).mode & 0o777).to.equal(0o755);
        const [request] = asked;
        expect(request?.kind === "write" && request.diffs[0]).to.deep.include({
            kind: "modified",
            linesAdded: 1,
            linesRemoved: 1,
        });
    });

    it("A streamed file needs approval unless edits are accepted automatically", async () => {
        const automatic = harness([says(block("a.ts", "x\n")), says("Done.")], undefined, {
            runGrants: { acceptEdits: true, approveShell: false },
        });
        await drain(automatic.turn);
        expect(asked).to.deep.equal([]);
        expect(get("a.ts")).to.equal("x\n");
        const nobody = harness([says(block("b.ts", "x\n")), says("Done.")], undefined, {
            approver: undefined,
        });
        await drain(nobody.turn);
        expect(exists("b.ts")).to.equal(false);
        expect(told(nobody.model)[0]).to.contain("print mode cannot ask");
    });

    it("One reply may hold several streamed files followed by tool calls", async () => {
        const order: string[] = [];
        const look: PlainTool = {
            name: "look",
            description: "Looks.",
            inputSchema: { type: "object", properties: {} },
            readOnly: true,
            approval: "none",
            intent: () => "Looking",
            execute: async () => {
                order.push(exists("a.ts") && exists("b.ts") ? "both are there" : "too early");
                return { ok: true, data: {} };
            },
        };
        const text = `One:\n${block("a.ts", "a\n")}Two:\n${block("b.ts", "b\n")}Look:`;
        const { turn, model, records } = harness(
            [[{ type: "text", text }, ...calls(["1", "look", {}])], says("Done.")],
            undefined,
            {},
            [look]
        );
        await drain(turn);
        expect(order).to.deep.equal(["both are there"]);
        const messages = model.requests.at(-1)?.messages ?? [];
        expect(messages.map(({ role }) => role)).to.deep.equal([
            ...["user", "assistant", "tool", "user", "user"],
        ]);
        const folded = new Conversation();
        for (const record of records) folded.apply(record);
        expect(folded.messages.slice(0, 5)).to.deep.equal(messages);
    });

    it("The model gets its streamed file back word for word", async () => {
        const text = `Here.\n${block("a.ts", "x\n")}`;
        const { turn, model } = harness([says(text), says("Done.")]);
        await drain(turn);
        expect(model.requests[1]?.messages[1]).to.deep.equal({
            role: "assistant",
            content: [{ type: "text", text }],
        });
    });

    for (const [what, file, code] of [
        ["git's own", ".git/config", "protected-path"],
        ["git's own in another case", ".GIT/config", "protected-path"],
        ["a hook of git", ".git/hooks/pre-commit", "protected-path"],
        ["North's own", "sub/.north/allowlist.json", "protected-path"],
        ["outside", "../a.ts", "outside-repository"],
        ["outside after a detour", "folder/../../a.ts", "outside-repository"],
        ["absolute and outside", "/tmp/../a.ts", "outside-repository"],
        ["outside by a link", "link/a.ts", "outside-repository"],
        ["outside by a link that leads nowhere yet", "dangling", "outside-repository"],
        ["cut by a NUL", "a.ts\0/../../a.ts", "outside-repository"],
        ["a device", "/dev/null", "outside-repository"],
        ["a pipe", "pipe", "not-a-file"],
        ["the repository itself", ".", "not-a-file"],
        ["a folder", "folder", "not-a-file"],
        ["binary", "image.png", "binary-file"],
    ] as const) {
        it(`A streamed file is refused when its path is ${what}`, async () => {
            fs.symlinkSync(folder, path.join(root, "link"));
            fs.symlinkSync("../a.ts", path.join(root, "dangling"));
            fs.mkdirSync(path.join(root, "folder"));
            execFileSync("mkfifo", [path.join(root, "pipe")]);
            put("image.png", Buffer.from([1, 0, 2]));
            const { turn, model } = harness([
                says(`${block(file, "secret text\n")}After.`),
                says("I see."),
            ]);
            const { events } = await drain(turn);
            expect(asked).to.deep.equal([]);
            expect(told(model)[0]).to.contain(`"code":"${code}"`);
            expect(staging().paths()).to.deep.equal([]);
            expect(exists("../a.ts")).to.equal(false);
            const shown = events.flatMap((event) =>
                event.type === "text-delta" ? event.text : []
            );
            expect(shown.join("")).to.equal("After.I see.");
            expect(events.find(({ type }) => type === "file-finished")).to.deep.include({
                ok: false,
            });
        });
    }

    it("A streamed file is not written into git's directory behind a link, nor into a bare repository", async () => {
        fs.symlinkSync(".git", path.join(root, "git"));
        fs.mkdirSync(path.join(root, "bare/objects"), { recursive: true });
        fs.mkdirSync(path.join(root, "bare/refs"));
        put("bare/HEAD", "ref: refs/heads/main\n");
        for (const file of ["git/config", "bare/config"]) {
            const { turn, model } = harness([says(block(file, "[core]\n")), says("I see.")]);
            await drain(turn);
            expect(told(model)[0], file).to.contain('"code":"protected-path"');
            expect(exists(file), file).to.equal(false);
        }
    });

    it("A streamed file is refused in ask mode", async () => {
        const { turn, model } = harness([says(block("a.ts", "x\n")), says("I see.")], undefined, {
            mode: "ask",
        });
        await drain(turn);
        expect(told(model)[0]).to.contain('"code":"not-in-this-mode"');
        expect(exists("a.ts")).to.equal(false);
        expect(staging().paths()).to.deep.equal([]);
    });

    it("A continuation is refused when there is nothing to continue", async () => {
        put("a.ts", "old\n");
        const { turn, model } = harness([
            says(block("a.ts", "more\n", ' mode="append"')),
            says("I see."),
        ]);
        await drain(turn);
        expect(told(model)[0]).to.contain('"code":"nothing-to-continue"');
        expect(get("a.ts")).to.equal("old\n");
    });

    it("A streamed file that changes nothing is not written", async () => {
        put("a.ts", "same\n");
        const { turn, model } = harness([says(block("a.ts", "same\n")), says("I see.")]);
        await drain(turn);
        expect(told(model)[0]).to.contain('"code":"no-change"');
        expect(staging().paths()).to.deep.equal([]);
    });

    it("A streamed file stays staged for another review when its target changed after the review", async () => {
        put("a.ts", "old\n");
        let reviews = 0;
        const { turn, model } = harness(
            [
                says(block("a.ts", "new\n")),
                says(block("a.ts", "", ' mode="append"')),
                says("Done."),
            ],
            () => {
                reviews += 1;
                if (reviews === 1) put("a.ts", "theirs\n");
                return { kind: "approve" };
            }
        );
        await drain(turn);
        expect(told(model)[0]).to.contain('"code":"changed-since-review"');
        expect(asked).to.have.length(2);
        expect(get("a.ts")).to.equal("new\n");
    });

    it("A streamed file never replaces what somebody else changed since the model read it", async () => {
        put("a.ts", "theirs\n");
        const { turn, model, conversation } = harness([says(block("a.ts", "new\n")), says("Ok.")]);
        conversation.observed.set("a.ts", "another version");
        await drain(turn);
        expect(told(model)[0]).to.contain('"code":"changed-since-read"');
        expect(get("a.ts")).to.equal("theirs\n");
        expect(staging().read("a.ts")).to.equal("new\n");
    });

    describe("Interrupted streamed files", () => {
        const half = '<NORTH_FILE path="a.ts">\none\ntwo\n';
        const rest = (content: string) => says(block("a.ts", content, ' mode="append"'));

        for (const [what, reply] of [
            ["at the longest reply", stops(half, "max-output")],
            ["without its end", stops(half, "end")],
            ["with the connection", [{ type: "text", text: half } as ModelEvent, broken()]],
            ["with no stop", [{ type: "text", text: half } as ModelEvent]],
        ] as const) {
            it(`A streamed file is continued and reviewed once as a whole after ${what}`, async () => {
                const { turn, model } = harness([reply, rest("three\n"), says("Done.")]);
                const { outcome } = await drain(turn);
                expect(outcome).to.deep.include({ stopReason: "end", text: "Done.", requests: 3 });
                expect(get("a.ts")).to.equal("one\ntwo\nthree\n");
                expect(asked).to.have.length(1);
                const asks = model.requests[1]?.messages.at(-1);
                expect(asks?.role).to.equal("user");
                expect(JSON.stringify(asks))
                    .to.contain("It has 2 lines so far; the last whole ones:\\none\\ntwo\\n(end)")
                    .and.contain('<NORTH_FILE path=\\"a.ts\\" mode=\\"append\\">');
                expect(JSON.stringify(model.requests[1]?.messages)).to.contain("one\\ntwo");
            });
        }

        it("A continuation request shows the last 30 lines", async () => {
            const lines = Array.from({ length: 50 }, (_, index) => `line ${index + 1}`);
            const { turn, model } = harness([
                stops(`<NORTH_FILE path="a.ts">\n${lines.join("\n")}\n`, "max-output"),
                rest("end\n"),
                says("Done."),
            ]);
            await drain(turn);
            const asks = JSON.stringify(model.requests[1]?.messages.at(-1));
            expect(asks).to.contain("line 21\\n").and.contain("line 50\\n");
            expect(asks).not.to.contain("line 20\\n");
            expect(get("a.ts")).to.equal(`${[...lines, "end"].join("\n")}\n`);
        });

        for (const [how, continuation] of [
            ["repeats the line that was cut off", "three and more\nfour\n"],
            ["goes on in the middle of it", "ee and more\nfour\n"],
        ] as const) {
            it(`A file cut within a line is complete again when the model ${how}`, async () => {
                const { turn, model } = harness([
                    stops(`${half}thr`, "max-output"),
                    rest(continuation),
                    says("Done."),
                ]);
                await drain(turn);
                expect(get("a.ts")).to.equal("one\ntwo\nthree and more\nfour\n");
                expect(JSON.stringify(model.requests[1]?.messages.at(-1))).to.contain(
                    "this line, which was cut off: thr"
                );
            });
        }

        it("A file cut within a character loses no character", async () => {
            const { turn } = harness([
                [
                    { type: "text", text: `${half}\ud83d` },
                    { type: "usage", usage: {} },
                    { type: "text", text: "\ude00 three\n</NORTH_FILE>" },
                    { type: "stop", reason: "end" },
                ],
                says("Done."),
            ]);
            await drain(turn);
            expect(get("a.ts")).to.equal("one\ntwo\n😀 three\n");
        });

        it("After four interruptions the file stays staged outside the repository, and the user is told", async () => {
            const more = (line: string) =>
                stops(`<NORTH_FILE path="a.ts" mode="append">\n${line}\n`, "max-output");
            const { turn, model } = harness([
                stops(half, "max-output"),
                more("three"),
                more("four"),
                more("five"),
            ]);
            const { events, outcome } = await drain(turn);
            model.assertDone();
            expect(outcome).to.deep.include({ stopReason: "max-output", requests: 4 });
            expect(staging().read("a.ts")).to.equal("one\ntwo\nthree\nfour\nfive\n");
            expect(exists("a.ts")).to.equal(false);
            const notices = events.flatMap((event) => (event.type === "notice" ? event.text : []));
            expect(notices).to.have.length(1);
            expect(notices[0]).to.contain("5 lines").and.contain(staging().place("a.ts"));
        });

        it("A file whose rest never comes stays staged, and the user is told", async () => {
            const { turn } = harness([stops(half, "max-output"), says("I would rather not.")]);
            const { events, outcome } = await drain(turn);
            expect(outcome.stopReason).to.equal("end");
            expect(staging().read("a.ts")).to.equal("one\ntwo\n");
            expect(events.filter(({ type }) => type === "notice")).to.have.length(1);
        });

        it("A cancelled file stays staged, and the user is told where", async () => {
            const controller = new AbortController();
            const { turn, conversation } = harness(
                [
                    async function* () {
                        yield { type: "text", text: `${half}thr` };
                        controller.abort(new TurnStopped("cancelled"));
                        await new Promise(() => {});
                    },
                ],
                undefined,
                { signal: controller.signal }
            );
            const { events, outcome } = await drain(turn);
            expect(outcome.stopReason).to.equal("cancelled");
            expect(staging().read("a.ts")).to.equal("one\ntwo\nthr");
            const notice = events.find(({ type }) => type === "notice");
            expect(notice?.type === "notice" && notice.text).to.contain(staging().place("a.ts"));
            expect(JSON.stringify(conversation.messages.at(-1))).to.contain("[Cancelled]");
        });

        it("After an error that no retry can fix the file stays staged, and the user is told", async () => {
            const { turn } = harness([
                [{ type: "text", text: half }, new NorthError("invalid-request", "No.")],
            ]);
            const { events, outcome } = await drain(turn);
            expect(outcome.stopReason).to.equal("error");
            expect(events.filter(({ type }) => type === "notice")).to.have.length(1);
            expect(staging().read("a.ts")).to.equal("one\ntwo\n");
        });

        it("A connection that breaks again and again ends in its own error", async () => {
            const cut = (): ScriptedReply => [
                { type: "text", text: '<NORTH_FILE path="a.ts" mode="append">\nx\n' },
                broken(),
            ];
            const { turn, model, delays } = harness([
                [{ type: "text", text: half }, broken()],
                cut(),
                cut(),
                cut(),
            ]);
            const { outcome } = await drain(turn);
            model.assertDone();
            expect(outcome.stopReason).to.equal("error");
            expect(delays).to.have.length(4);
            expect(staging().read("a.ts")).to.equal("one\ntwo\nx\nx\nx\n");
        });

        it("A break after a complete file loses neither file", async () => {
            const { turn } = harness([
                [{ type: "text", text: `${block("b.ts", "b\n")}${half}` }, broken()],
                rest("three\n"),
                says("Done."),
            ]);
            await drain(turn);
            expect([get("a.ts"), get("b.ts")]).to.deep.equal(["one\ntwo\nthree\n", "b\n"]);
        });

        it("A break before a file's first line is retried like any reply", async () => {
            const { turn, model } = harness([
                [{ type: "text", text: '<NORTH_FILE path="a.ts">\n' }, broken()],
                says(block("a.ts", "x\n")),
                says("Done."),
            ]);
            const { events } = await drain(turn);
            expect(model.requests[1]?.messages).to.have.length(1);
            expect(get("a.ts")).to.equal("x\n");
            expect(events.filter(({ type }) => type === "notice")).to.deep.equal([]);
        });
    });

    it("A streamed file can be undone like any edit, because the log names its review", async () => {
        const { turn, records } = harness([says(block("a.ts", "x\n")), says("Done.")]);
        await drain(turn);
        const entries = records.flatMap((record) =>
            record.type === "entry_added" ? record.entry : []
        );
        const change = entries.find(({ kind }) => kind === "change");
        const review = entries.find(({ kind }) => kind === "review");
        expect(change?.kind === "change" && change.callId).to.equal(
            review?.kind === "review" && review.callId
        );
        expect(change?.kind === "change" && change.files[0]?.beforeHash).to.equal(null);
    });
});
