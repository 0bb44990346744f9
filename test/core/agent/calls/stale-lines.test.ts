import * as fs from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect } from "chai";
import { editInsertAtLine } from "../../../../src/builtin/tools/edit-insert-at-line.js";
import { editReplaceExact } from "../../../../src/builtin/tools/edit-replace-exact.js";
import { readFile } from "../../../../src/builtin/tools/read-file.js";
import { shellRun } from "../../../../src/builtin/tools/shell-run.js";
import type { ApprovalRequest, Decision } from "../../../../src/core/approval/approver.js";
import type { FileChange, JsonObject, Tool } from "../../../../src/plugin/index.js";
import { createChangeApplier } from "../../../../src/workspace/apply/apply-change-set.js";
import { openWorkspace } from "../../../../src/workspace/open-workspace.js";
import { calls, says, ScriptedModel } from "../../../helpers/scripted-model.js";
import { drain, turnHarness } from "../../../helpers/turn.js";
import { NO_OUTPUTS } from "../../../../src/core/approval/contained-runs.js";

const READ = ["read_file", { path: "a.txt" }] as const;
const INSERT = ["edit_insert_at_line", { path: "a.txt", line: 2, content: "NEW" }] as const;
const REPLACE = ["edit_replace_exact", { path: "a.txt", old: "three", new: "3" }] as const;
const RUN = ["shell_run", { command: "format" }] as const;

describe("Line numbers the model has seen", () => {
    let root = "";

    beforeEach(() => {
        root = fs.realpathSync(fs.mkdtempSync(path.join(tmpdir(), "north-stale-")));
        put("one\ntwo\nthree\nfour\n");
    });
    afterEach(() => fs.rmSync(root, { recursive: true, force: true }));

    const put = (text: string) => fs.writeFileSync(path.join(root, "a.txt"), text);
    const get = () => fs.readFileSync(path.join(root, "a.txt"), "utf8");

    /** Runs the calls in order, the user acting between them; returns the code of the last one's error. */
    async function run(
        script: readonly (readonly [name: string, input: JsonObject])[],
        decide: (request: ApprovalRequest) => Decision = () => ({ kind: "approve" }),
        before: (name: string) => void = () => {}
    ) {
        const model = new ScriptedModel([
            ...script.map(
                ([name, input], index) =>
                    async function* () {
                        before(name);
                        yield* calls([`c${index}`, name, input]);
                    }
            ),
            says("done"),
        ]);
        const workspace = openWorkspace({ root });
        const tools: readonly Tool[] = [readFile, editInsertAtLine, editReplaceExact, shellRun];
        const effect = async (): Promise<FileChange> => {
            const { bytes, hash } = await workspace.read("a.txt");
            const after = Buffer.concat([Buffer.from("zero\n"), bytes]);
            return { path: "a.txt", before: bytes, beforeHash: hash, after };
        };
        const { turn, conversation } = turnHarness(model, tools, {
            workspace: Object.assign(workspace, { readBy: () => workspace }),
            applier: createChangeApplier({ root }),
            approver: { decide: async (request) => decide(request) },
            contained: {
                mode: "auto",
                unavailable: async () => undefined,
                notice: async () => undefined,
                run: async () => ({
                    outcome: {
                        stdout: "",
                        stderr: "",
                        exitCode: 0,
                        durationMs: 1,
                        truncated: false,
                    },
                    effects: [await effect()],
                    notes: [],
                    outputs: NO_OUTPUTS,
                    keep: () => [],
                }),
            },
        });
        await drain(turn);
        const results = conversation.entries.filter((entry) => entry.kind === "tool_result");
        expect(results.length).to.equal(script.length);
        const last = results.at(-1);
        const { error } = JSON.parse(last?.kind === "tool_result" ? last.content : "{}");
        return error?.code;
    }

    it("An insertion by line after an edit of a version the model has not seen is refused", async () => {
        const code = await run([READ, REPLACE, INSERT], undefined, (name) => {
            if (name === "edit_replace_exact") put(`zero\n${get()}`);
        });
        expect(code).to.equal("changed-since-read");
        expect(get()).to.equal("zero\none\ntwo\n3\nfour\n");
    });

    it("An insertion by line after a contained command changed the file is refused", async () => {
        expect(await run([READ, RUN, INSERT])).to.equal("changed-since-read");
        expect(get()).to.equal("zero\none\ntwo\nthree\nfour\n");
    });

    it("An insertion by line after the user edited the proposal is refused", async () => {
        const decide = (request: ApprovalRequest): Decision => {
            const [change] = request.kind === "write" ? request.changeSet.changes : [];
            const text = Buffer.from(change?.after ?? "").toString();
            if (!change || text.startsWith("zero") || text.includes("NEW")) {
                return { kind: "approve" };
            }
            const changes = [{ ...change, after: Buffer.from(`zero\n${text}`) }];
            return { kind: "modify", changeSet: { changes }, hunks: ["a.txt edited"] };
        };
        expect(await run([READ, REPLACE, INSERT], decide)).to.equal("changed-since-read");
        expect(get()).to.equal("zero\none\ntwo\n3\nfour\n");
    });

    it("Once the model has read the new version, an insertion by line is applied", async () => {
        expect(await run([READ, RUN, READ, INSERT])).to.equal(undefined);
        expect(get()).to.equal("zero\nNEW\none\ntwo\nthree\nfour\n");
    });

    it("An insertion by line after the model's own edit of what it read is applied", async () => {
        expect(await run([READ, REPLACE, INSERT])).to.equal(undefined);
        expect(get()).to.equal("one\nNEW\ntwo\n3\nfour\n");
    });
});
