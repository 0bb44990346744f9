import * as fs from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect } from "chai";
import { tokensIn } from "../../../bench/tokens.js";
import { recall as recallTool } from "../../../src/builtin/tools/recall.js";
import { webFetch } from "../../../src/builtin/tools/web-fetch.js";
import { shellRun } from "../../../src/builtin/tools/shell-run.js";
import { Conversation } from "../../../src/core/conversation/fold.js";
import { recall } from "../../../src/host/conversations/recall.js";
import { toolContext } from "../../../src/plugin-testing/index.js";
import type { Entry, JournalRecord, Recalled, Tool } from "../../../src/plugin/index.js";
import { createConversationStore } from "../../../src/storage/conversations/conversations.js";

const TOOLS = new Map<string, Tool>([shellRun, webFetch].map((tool) => [tool.name, tool]));

describe("What the model recalls", () => {
    let data: string;
    let clock: number;
    beforeEach(() => {
        data = fs.mkdtempSync(path.join(tmpdir(), "north-recall-"));
        clock = 1_000;
    });
    afterEach(() => fs.rmSync(data, { recursive: true, force: true }));

    const base = () => ({ id: `e${(clock += 1)}`, at: clock });
    const user = (text: string): Entry => ({
        ...{ kind: "user", ...base(), mode: "agent", text, content: [{ type: "text", text }] },
    });
    const answer = (text: string): Entry => ({
        ...{ kind: "assistant", ...base(), provider: "p", model: "m", status: "complete" },
        content: [{ type: "text", text }],
    });
    const result = (name: string, text: string): Entry => ({
        ...{ kind: "tool_result", ...base(), callId: "c", name, content: "{}", text, ok: true },
        ...{ durationMs: 1, intent: "Running it" },
    });

    async function store(
        id: string,
        entries: readonly Entry[],
        root = "/p"
    ): Promise<Conversation> {
        const names = { provider: "p", model: "m" };
        const { journal } = await createConversationStore(data).start({
            id,
            root,
            ...names,
            at: 1,
        });
        const records: JournalRecord[] = entries.map((entry) => ({ type: "entry_added", entry }));
        for (const record of records) journal.append(record);
        await journal.close();
        return Conversation.of((await createConversationStore(data).read(id)).records);
    }

    function find(
        state: Conversation,
        text: string,
        clean = (content: string) => content
    ): Promise<readonly Recalled[]> {
        return recall({ dataFolder: data, state, tools: TOOLS, secrets: { text: clean } }, text);
    }

    it("An excerpt holds the text also after letters that become two in lower case", async () => {
        await store("aaaaaa", [user(`${"İ".repeat(2_000)} the walrus ${"ı".repeat(2_000)}`)]);
        const state = await store("cccccc", [user("which walrus?")]);
        const [hit] = await find(state, "walrus");
        expect(hit?.excerpt).to.contain("walrus");
    });

    it("Earlier turns and the project's other conversations are found, not the current turn", async () => {
        await store("aaaaaa", [user("use the walrus"), answer("The Walrus is slow.")]);
        await store("bbbbbb", [user("a walrus of another project")], "/other");
        const own = [user("hello"), result("shell_run", "walrus 1.2"), user("which walrus?")];
        const state = await store("cccccc", own);
        const hits = await find(state, "WALRUS");
        expect(
            hits.map(({ conversationId, turn, who, excerpt }) => [
                conversationId,
                turn,
                who,
                excerpt,
            ])
        ).to.have.deep.members([
            ["cccccc", 1, "tool", "Running it walrus 1.2"],
            ["aaaaaa", 1, "you", "use the walrus"],
            ["aaaaaa", 1, "model", "The Walrus is slow."],
        ]);
        expect(await find(state, "sea lion")).to.deep.equal([]);
    });

    it("A text that is everywhere is found in the newest conversations", async () => {
        const often = Array.from({ length: 20_000 }, () => user("a walrus"));
        await store("aaaaaa", often);
        const state = await store("bbbbbb", [user("the newest walrus"), user("which one?")]);
        const [first] = await find(state, "walrus");
        expect(first).to.include({ conversationId: "bbbbbb", excerpt: "the newest walrus" });
    });

    it("What a summary stands for is found", async () => {
        const names = { provider: "p", model: "m" };
        const { journal } = await createConversationStore(data).start({
            id: "aaaaaa",
            root: "/p",
            ...names,
            at: 1,
        });
        const entries = [user("the port is 8471"), answer("Noted."), user("what was the port?")];
        const [first, second, last] = entries.map(
            (entry) => ({ type: "entry_added", entry }) as const
        );
        journal.append(first!);
        journal.append(second!);
        journal.append(last!);
        const keepFrom = entries[2]!.id;
        journal.append({
            type: "rolling_summary_set",
            at: clock,
            keepFrom,
            summary: "They talked.",
        });
        await journal.close();
        const state = Conversation.of((await createConversationStore(data).read("aaaaaa")).records);
        expect(JSON.stringify(state.messages))
            .to.contain("They talked.")
            .and.not.to.contain("8471");
        expect((await find(state, "port is")).map(({ excerpt }) => excerpt)).to.deep.equal([
            "the port is 8471",
        ]);
    });

    it("Results that came from outside, and those of tools that are gone, are not found", async () => {
        const entries = [
            user("go"),
            result("web_fetch", "walrus"),
            result("gone", "walrus"),
            user("now"),
        ];
        expect(await find(await store("aaaaaa", entries), "walrus")).to.deep.equal([]);
    });

    it("Secrets stay masked, and no guess at one finds it", async () => {
        const secret = "swordfish-0451";
        const entries = [
            user("go"),
            result("shell_run", `${"x".repeat(500)} key ${secret} end`),
            user("now"),
        ];
        const state = await store("aaaaaa", entries);
        const clean = (content: string) => content.replaceAll(secret, "[secret]");
        const [hit] = await find(state, "key", clean);
        expect(hit?.excerpt).to.contain("key [secret] end");
        for (const guess of [secret, secret.slice(0, 5), secret.slice(4)]) {
            expect(await find(state, guess, clean), guess).to.deep.equal([]);
        }
    });

    it("An excerpt has the text and at most 200 tokens, however dense it is", async () => {
        const dense = [
            "the quick brown fox jumps over it ",
            "Qx7/Z9+aKp==0fB3tYw2",
            "8471926350",
            "漢字仮名交じり文",
            "👩‍👩‍👧‍👦🏳️‍🌈",
            "}{)(;:!?<>",
            "zqxjkvb",
        ];
        for (const [index, text] of dense.entries()) {
            const filler = text.repeat(200);
            const entries = [user(`${filler} needle ${filler}`), user("now")];
            const [hit] = await find(await store(`aaaaa${index}`, entries), "needle");
            expect(hit?.excerpt, text).to.contain("needle");
            expect(tokensIn(hit?.excerpt ?? ""), text).to.be.within(40, 200);
        }
        const long = dense[4]!.repeat(12).slice(0, 200);
        const [hit] = await find(await store("bbbbbb", [user(long), user("now")]), long);
        expect(tokensIn(hit?.excerpt ?? "")).to.be.within(1, 200);
    });

    it("The model reads one line per match, and one sentence if there is none", async () => {
        const state = await store("aaaaaa", [user("the walrus"), user("now")]);
        const context = toolContext({ recall: (text) => find(state, text) });
        const found = await recallTool.execute({ text: "walrus" }, context);
        if (!found.ok) throw new Error(found.error.message);
        expect(recallTool.render?.(found.data, { text: "walrus" })).to.match(
            /^aaaaaa turn 1, \d{4}-\S+ \S+, user: the walrus$/
        );
        const none = await recallTool.execute({ text: "seal" }, context);
        if (!none.ok) throw new Error(none.error.message);
        expect(recallTool.render?.(none.data, { text: "seal" })).to.equal(
            "No match. Try one distinctive word."
        );
    });
});
