import { expect } from "chai";
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { ApprovalRequest, Decision } from "../../../../src/core/approval/approver.js";
import { mayDelegate } from "../../../../src/core/agent/calls/delegate.js";
import type { Turn } from "../../../../src/core/agent/turn.js";
import { MODE_IDS } from "../../../../src/plugin/modes.js";
import type { ModelConnection, ModelEvent, ModelRequest } from "../../../../src/plugin/index.js";
import { Drafting, folderOf, stepRuns } from "../../../helpers/drafting.js";
import { snapshot } from "../../../helpers/random-changes.js";
import { calls, says } from "../../../helpers/scripted-model.js";
import { makeFolder } from "../../../workspace/make-folder.js";

const START = { "a.ts": "1\n2\n3\n4\n5\n6\n7\n8\n9\n", "b.ts": "b\n", "old.ts": "old\n" };

/** What each task does, as calls of tools; the task is the key. */
type Script = Readonly<Record<string, readonly [name: string, input: object][]>>;

/** Sub-agents that make one call after another, then say that they are done. */
function scripted(script: Script): ModelConnection["stream"] {
    return async function* (request) {
        yield* replyTo(request, script);
    };
}

function replyTo({ messages }: ModelRequest, script: Script): ModelEvent[] {
    const task = Object.keys(script).find((each) => JSON.stringify(messages[0]).includes(each));
    const done = messages.filter(({ role }) => role === "assistant").length;
    const call = script[task ?? ""]?.[done];
    return call ? calls([`n-${task}-${done}`, ...call]) : says(`Did ${task}.`);
}

function delegating(script: Script, mode: "draft" | "agent", more: object = {}) {
    const root = makeFolder(START);
    const drafting = new Drafting(root, mode, {
        ...{ contained: stepRuns(root), subAgent: scripted(script), ...more },
    });
    const requests: ApprovalRequest[] = [];
    const tasks = Object.keys(script).map((task) => ({ task }));
    const turn = async (answer: (request: ApprovalRequest) => Decision) => {
        const replies = [calls(["d1", "delegate", { tasks }]), says("Done.")];
        const [result] = await drafting.turn(replies, (request) => {
            requests.push(request);
            return answer(request);
        });
        if (!result) throw new Error("The call has no result.");
        return result;
    };
    return { root, drafting, requests, turn };
}

const replace = (file: string, old: string, text: string): [string, object] => [
    "edit_replace_exact",
    { path: file, old, new: text },
];
const create = (file: string, content: string): [string, object] => [
    "edit_create_file",
    { path: file, content },
];

const FOUR: Script = {
    "write one": [replace("a.ts", "1\n2", "one\n2"), create("one.ts", "one\n")],
    "write five": [replace("a.ts", "\n5\n", "\nfive\n")],
    "write nine": [replace("a.ts", "8\n9", "8\nnine")],
    "write b": [replace("b.ts", "b", "B"), replace("old.ts", "old", "new")],
};
const MERGED = {
    "a.ts": "one\n2\n3\n4\nfive\n6\n7\n8\nnine\n",
    "b.ts": "B\n",
    "old.ts": "new\n",
    "one.ts": "one\n",
};

const APPROVE = (): Decision => ({ kind: "approve" });
const LATER = (): Decision => ({ kind: "deny" });

describe("Delegated tasks", () => {
    it("In modes that only read no tool can delegate, not even one that only reads itself", () => {
        const project = { drafted: () => {} };
        const may = MODE_IDS.filter((mode) =>
            mayDelegate({ settings: { mode, limits: {} }, project } as unknown as Turn)
        );
        expect(may).to.deep.equal(["draft", "agent"]);
    });

    it("Four sub-agents that write the same files side by side end as one change of the draft", async () => {
        const { root, drafting, requests, turn } = delegating(FOUR, "draft");
        const before = snapshot(root);
        const result = await turn(LATER);

        expect(result.ok, result.content).to.equal(true);
        expect(snapshot(root)).to.deep.equal(before);
        expect(requests.map(({ kind }) => kind)).to.deep.equal(["write"]);
        const files = drafting.conversation.draft.view;
        expect(
            snapshot(await folderOf(root, { files, contents: drafting.contents }))
        ).to.deep.equal(snapshot(makeFolder(MERGED)));
        expect(drafting.conversation.draft.entries).to.have.length(1);
        expect(result.text).to.contain("task 3: Did write nine.");
        expect(result.text).to.contain(
            "Drafted: a.ts +3 -3, b.ts +1 -1, old.ts +1 -1, one.ts +1 -0"
        );
    });

    it("A file that a sub-agent streams in its reply keeps its text in the merged change", async () => {
        const file = '<NORTH_FILE path="long.ts">\nlong\n</NORTH_FILE>';
        const subAgent: ModelConnection["stream"] = async function* ({ messages }) {
            const isFirst = messages.every(({ role }) => role !== "assistant");
            yield* says(isFirst ? file : "Did it.");
        };
        const { root, turn } = delegating({ "write long": [] }, "agent", { subAgent });
        const result = await turn(APPROVE);

        expect(result.ok, result.content).to.equal(true);
        expect(readFileSync(path.join(root, "long.ts"), "utf8")).to.equal("long\n");
    });

    it("In agent mode the merged change is one review, and a no leaves nothing", async () => {
        for (const answer of [APPROVE, LATER]) {
            const { root, requests, turn } = delegating(FOUR, "agent");
            const before = snapshot(root);
            const result = await turn(answer);

            expect(requests).to.have.length(1);
            const isWritten = answer === APPROVE;
            expect(result.ok).to.equal(isWritten);
            expect(snapshot(root)).to.deep.equal(isWritten ? snapshot(makeFolder(MERGED)) : before);
            if (!isWritten) expect(result.content).to.contain("task 4: Did write b.");
        }
    });

    it("Conflicting lines come back to the model with both sides and who wrote them", async () => {
        const { drafting, turn } = delegating(
            {
                "in English": [replace("a.ts", "\n5\n", "\nfive\n")],
                "in German": [replace("a.ts", "\n5\n", "\nfünf\n")],
            },
            "draft"
        );
        const result = await turn(LATER);

        expect(result.text).to.contain("1 conflict.");
        expect(result.text).to.contain(
            "a.ts:5\n<task 1>\nfive\n</task 1>\n<task 2>\nfünf\n</task 2>"
        );
        const { afterHash } = drafting.conversation.draft.view.get("a.ts") ?? {};
        expect(Buffer.from(await drafting.contents.get(afterHash ?? "")).toString()).to.contain(
            "<<<<<<< task 1\nfive\n=======\nfünf\n>>>>>>> task 2\n"
        );
    });

    it("A conflict that the user refuses in the review is no longer one, for them and the model", async () => {
        const { root, requests, turn } = delegating(
            {
                "in English": [replace("a.ts", "\n5\n", "\nfive\n")],
                "in German": [replace("a.ts", "\n5\n", "\nfünf\n"), replace("b.ts", "b", "B")],
            },
            "agent"
        );
        const result = await turn((request) => {
            if (request.kind !== "write" || requests.length > 1) return { kind: "approve" };
            const changes = request.changeSet.changes.filter((change) => change.path === "b.ts");
            return { kind: "modify", changeSet: { changes }, hunks: ["b.ts @@ -1 +1 @@"] };
        });

        const findings = requests.map((request) => request.kind === "write" && request.findings);
        expect(findings[0]).to.match(/a\.ts: 1 conflict/);
        expect(findings[1]).to.equal(undefined);
        expect(result.text).to.contain("b.ts +1 -1").and.to.not.contain("conflict");
        expect(readFileSync(path.join(root, "a.ts"), "utf8")).to.equal(START["a.ts"]);
    });

    it("A sub-agent sees the draft that it starts from, and its own changes only", async () => {
        const seen: string[] = [];
        const script: Script = {
            first: [
                replace("a.ts", "drafted", "drafted, then first"),
                ["read_file", { path: "a.ts" }],
            ],
            second: [["read_file", { path: "a.ts" }]],
        };
        const root = makeFolder(START);
        const drafting = new Drafting(root, "draft", {
            contained: stepRuns(root),
            subAgent: async function* (request) {
                const last = request.messages.at(-1);
                if (last?.role !== "assistant") seen.push(JSON.stringify(last));
                yield* replyTo(request, script);
            },
        });
        await drafting.turn(
            [calls(["w", ...replace("a.ts", "1\n", "drafted\n")]), says("Drafted.")],
            LATER
        );
        const tasks = Object.keys(script).map((task) => ({ task }));
        const replies = [calls(["d1", "delegate", { tasks }]), says("Done.")];
        await drafting.turn(replies, LATER);

        const read = seen.filter((text) => text.includes("2: 2") || text.includes("drafted"));
        expect(read.some((text) => text.includes("drafted, then first"))).to.equal(true);
        expect(read.some((text) => !text.includes("then first"))).to.equal(true);
        const { afterHash, beforeHash } = drafting.conversation.draft.view.get("a.ts") ?? {};
        const text = Buffer.from(await drafting.contents.get(afterHash ?? "")).toString();
        expect(text).to.match(/^drafted, then first\n2\n/);
        expect(Buffer.from(await drafting.contents.get(beforeHash ?? "")).toString()).to.equal(
            START["a.ts"]
        );
    });

    it("In agent mode, what somebody else writes meanwhile is merged and shown again", async () => {
        const { root, requests, turn } = delegating(
            { "write one": [replace("a.ts", "1\n2", "one\n2")] },
            "agent"
        );
        const other = path.join(root, "a.ts");
        const result = await turn((request) => {
            if (requests.length === 1) {
                writeFileSync(other, START["a.ts"].replace("9", "nine"));
            }
            return request.kind === "write" ? { kind: "approve" } : { kind: "deny" };
        });

        expect(result.ok, result.content).to.equal(true);
        expect(requests).to.have.length(2);
        expect(readFileSync(other, "utf8")).to.equal("one\n2\n3\n4\n5\n6\n7\n8\nnine\n");
    });

    it("A command of a sub-agent runs contained in its own draft", async () => {
        const write = {
            kind: "write",
            path: "made.ts",
            content: [...Buffer.from("x\n")],
            mode: 0o644,
        };
        const command = JSON.stringify([
            { ...write, content: { type: "Buffer", data: write.content } },
        ]);
        const { root, drafting, turn } = delegating(
            { "make it": [["shell_run", { command }], replace("made.ts", "x", "y")] },
            "draft"
        );
        const before = snapshot(root);
        const result = await turn(LATER);

        expect(result.text).to.contain("Drafted: made.ts +1 -0");
        expect(snapshot(root)).to.deep.equal(before);
        expect([...drafting.conversation.draft.view.keys()]).to.deep.equal(["made.ts"]);
    });

    it("Each sub-agent has a /tmp of its own for all its commands", async () => {
        const owners = new Map<string, object | undefined>();
        const runs = stepRuns(makeFolder(START));
        const contained: typeof runs = {
            ...runs,
            run(command, folder, options) {
                owners.set(command, options.owner);
                return runs.run(command, folder, options);
            },
        };
        const twice = (first: string, second: string): Script[string] =>
            [first, second].map((command) => ["shell_run", { command }]);
        const script = { one: twice("[]", "[ ]"), two: twice("[  ]", "[   ]") };
        const { turn } = delegating(script, "draft", { contained });
        await turn(LATER);

        const [first, second] = [owners.get("[]"), owners.get("[  ]")];
        expect(owners.get("[ ]")).to.equal(first);
        expect(owners.get("[   ]")).to.equal(second);
        expect(new Set([first, second, undefined]).size).to.equal(3);
    });

    it("The cost limit covers a turn and its sub-agents together, to the last request", async () => {
        const requestUsd = 0.000_02;
        const limits = { maxCostUsd: 4.5 * requestUsd };
        const endless = async function* (request: ModelRequest): AsyncGenerator<ModelEvent> {
            const made = request.messages.length;
            yield* calls([
                `n-${made}-${Math.random()}`,
                "read_file",
                { path: "a.ts", startLine: made },
            ]);
        };
        const { drafting, turn } = delegating({ one: [], two: [] }, "draft", {
            ...{ limits, subAgent: endless },
        });
        await turn(LATER).catch(() => {});

        const spent = drafting.costs.reduce((sum, { costUsd }) => sum + (costUsd ?? 0), 0);
        // The fifth reaches the limit. The other agent's may be under way then, or just over.
        expect(Math.round(spent / requestUsd)).to.be.within(5, 6);
        expect(drafting.outcome?.costUsd).to.be.closeTo(spent, 1e-9);
    });
});
