import { expect } from "chai";
import fc from "fast-check";
import { sampledRuns } from "../../../helpers/sample.js";
import { shellRun } from "../../../../src/builtin/tools/shell-run.js";
import type { ApprovalRequest, Decision } from "../../../../src/core/approval/approver.js";
import { type ContainedRuns, NO_OUTPUTS } from "../../../../src/core/approval/contained-runs.js";
import type { RunGrants } from "../../../../src/core/approval/policy.js";
import type { Turn } from "../../../../src/core/agent/turn.js";
import type { Shell, ShellOutcome, WriteTool } from "../../../../src/plugin/index.js";
import { calls, says, ScriptedModel } from "../../../helpers/scripted-model.js";
import { drain, type HarnessOptions, turnHarness } from "../../../helpers/turn.js";

const OUTCOME: ShellOutcome = {
    stdout: "out\n",
    stderr: "",
    exitCode: 0,
    durationMs: 5,
    truncated: false,
};

const newFile = (path: string) => ({
    path,
    before: null,
    beforeHash: null,
    after: Buffer.from("new\n"),
});

const edit: WriteTool<{ path: string }> = {
    name: "edit",
    description: "",
    inputSchema: { type: "object" },
    readOnly: false,
    approval: "write",
    intent: ({ path }) => `Editing ${path}`,
    propose: async ({ path }) => ({ ok: true, changeSet: { changes: [newFile(path)] } }),
};

type Call = readonly [tool: "shell_run" | "edit", input: object];
const run = (command = "make", cwd = ""): Call => [
    "shell_run",
    { command, ...(cwd !== "" && { cwd: `/project/${cwd}` }) },
];
const edits = (path: string): Call => ["edit", { path }];

/** What is asked in a project, and what runs in it, over several turns. */
class Project {
    readonly asked: ApprovalRequest[] = [];
    readonly results: string[] = [];
    readonly ran: ("contained" | "real")[] = [];
    readonly runGrants: RunGrants = { acceptEdits: true, approveShell: false };
    decide: (request: ApprovalRequest) => Decision = () => ({ kind: "deny" });
    /** What commands change contained, and what they need. */
    effects: readonly string[] = [];
    needs: string | undefined;
    mode: ContainedRuns["mode"] = "auto";
    whyUnavailable: string | undefined;
    during = async () => {};
    private readonly first: Turn;

    constructor() {
        this.first = turnHarness(new ScriptedModel([])).turn;
    }

    get grants() {
        return this.first.project.grants;
    }

    async turn(list: readonly Call[], options: HarnessOptions = {}): Promise<void> {
        const replies = list.map(([name, input], index) => calls([`c${index}`, name, input]));
        const model = new ScriptedModel([...replies, says("Done.")]);
        const { turn, records } = turnHarness(model, [shellRun, edit], {
            grants: this.grants,
            runGrants: this.runGrants,
            shell: this.shell,
            contained: this.contained,
            approver: {
                decide: async (request) => {
                    this.asked.push(request);
                    return this.decide(request);
                },
            },
            ...options,
        });
        await drain(turn);
        for (const record of records) {
            if (record.type !== "entry_added" || record.entry.kind !== "tool_result") continue;
            this.results.push(`${record.entry.summary} ${record.entry.content}`);
        }
    }

    private get shell(): Shell {
        return {
            cwd: "/project",
            resolve: async (cwd?: string) => cwd ?? "/project",
            run: async () => {
                this.ran.push("real");
                return OUTCOME;
            },
        };
    }

    private get contained(): ContainedRuns {
        return {
            mode: this.mode,
            unavailable: async () => this.whyUnavailable,
            notice: async () => undefined,
            run: async () => {
                this.ran.push("contained");
                await this.during();
                const { needs } = this;
                return {
                    outcome: OUTCOME,
                    effects: this.effects.map(newFile),
                    notes: [],
                    outputs: NO_OUTPUTS,
                    keep: () => [],
                    ...(needs !== undefined && { needs }),
                };
            },
        };
    }
}

const yes = (): Decision => ({ kind: "approve" });

/** How a command runs what the model changed: the command, its folder, the changed file. */
const WAYS: readonly (readonly [command: string, cwd: string, changed: string])[] = [
    ["cd pkg && npm test", "", "pkg/package.json"],
    ["npm --prefix pkg test", "", "pkg/package.json"],
    ["npm test -w pkg", "", "pkg/package.json"],
    ["npm test --workspaces", "", "packages/a/package.json"],
    ["make -C sub test", "", "sub/Makefile"],
    ["cd sub && make test", "", "sub/Makefile"],
    ["make -f build/rules.mk", "", "build/rules.mk"],
    ['sh "a b.sh"', "", "a b.sh"],
    ["sh a\\ b.sh", "", "a b.sh"],
    ["sh ./{a,b}.sh", "", "a.sh"],
    ["cd d && sh a.sh", "", "d/a.sh"],
    ["sh $PWD/a.sh", "", "a.sh"],
    ["sh ./*.sh", "", "a.sh"],
    ['sh "$(echo a.sh)"', "", "a.sh"],
    ["x=a.sh; sh $x", "", "a.sh"],
    ["find . -name '*.sh' -exec sh {} +", "", "deep/a.sh"],
    ["node a", "", "a.js"],
    ["node .", "", "index.js"],
    ["node -r ./setup tests", "", "setup.js"],
    ["python3 -m pkg.main", "", "pkg/main.py"],
    ["python3 -m pytest", "", "conftest.py"],
    ["npm test", "", "package.json"],
    ["npm test", "", "scripts/test.js"],
    ["npm test", "packages/a", "packages/a/package.json"],
    ["make", "", "include/common.mk"],
    ["sh a.sh", "", "lib.sh"],
    ["npx eslint src", "", "eslint.config.js"],
    ["npx tool", "", "node_modules/.bin/tool"],
    ["npx tool", "", "node_modules/tool/index.js"],
    ["tsc -p .", "", "tsconfig.json"],
    ["cargo check", "crates/core", "build.rs"],
    ["go generate ./...", "", "main.go"],
    ["npm test", "", "pkg.json"],
    ["./run", "", "run"],
];

describe("A command is allowed as it was", () => {
    for (const [command, cwd, changed] of WAYS) {
        const where = cwd === "" ? "" : ` in ${cwd}`;
        it(`${command}${where} runs contained again once the model changed ${changed}`, async () => {
            const project = new Project();
            // Some of these files always ask, whatever is automatic.
            project.decide = yes;
            await project.grants.allowCommand({ command, cwd });
            await project.turn([run(command, cwd)]);
            expect(project.ran).to.deep.equal(["real"]);
            await project.turn([edits(changed), run(command, cwd)]);
            expect(project.ran).to.deep.equal(["real", "contained"]);
            expect(project.results.at(-1)).to.contain(
                "contained, because 1 file changed since it was allowed · exit 0"
            );
            expect(project.asked.filter(({ kind }) => kind === "shell")).to.deep.equal([]);
        });
    }

    it("Accepting a command's effects renews its permission, and automatic edits do not", async () => {
        const project = new Project();
        project.runGrants.acceptEdits = true;
        project.decide = yes;
        project.effects = ["dist/a"];
        await project.grants.allowCommand({ command: "make", cwd: "" });
        await project.turn([edits("a"), run(), run()]);
        expect(project.ran).to.deep.equal(["contained", "contained"]);
        project.runGrants.acceptEdits = false;
        await project.turn([run(), run()]);
        expect(project.ran.slice(2)).to.deep.equal(["contained", "real"]);
        expect(project.asked.at(-1)).to.deep.include({
            findings: ["Contained, because 2 files changed since it was allowed."],
        });
    });

    it("Accepting a command's effects does not cover what another North changed while it ran", async () => {
        const project = new Project();
        project.runGrants.acceptEdits = false;
        project.decide = yes;
        project.effects = ["dist/a"];
        await project.grants.allowCommand({ command: "make", cwd: "" });
        await project.grants.changes.add(["a"]);
        project.during = async () => void (await project.grants.changes.add(["b"]));
        await project.turn([run()]);
        project.during = async () => {};
        await project.turn([run()]);
        expect(project.ran).to.deep.equal(["contained", "contained"]);
    });

    it("Effects that were refused, or accepted in part, leave it contained", async () => {
        for (const decision of [
            { kind: "deny" },
            { kind: "modify", changeSet: { changes: [newFile("dist/b")] }, hunks: ["1"] },
        ] as const) {
            const project = new Project();
            project.runGrants.acceptEdits = false;
            project.effects = ["dist/a"];
            const answers: Decision[] = [decision, yes(), { kind: "deny" }];
            project.decide = () => answers.shift() ?? { kind: "deny" };
            await project.grants.allowCommand({ command: "make", cwd: "" });
            await project.grants.changes.add(["a"]);
            await project.turn([run(), run()]);
            expect(project.ran, decision.kind).to.deep.equal(["contained", "contained"]);
        }
    });

    it("If containment stops it, it asks for real with the reason, and a yes makes it count again", async () => {
        const project = new Project();
        project.decide = yes;
        project.needs = "It needs the network: example.org";
        await project.grants.allowCommand({ command: "make", cwd: "" });
        await project.turn([edits("a"), run(), run()]);
        expect(project.ran).to.deep.equal(["contained", "real", "real"]);
        expect(project.asked).to.have.length(1);
        expect(project.asked[0]).to.include({
            needs: "It needs the network: example.org",
            lapsed: "1 file changed since it was allowed",
        });
    });

    it("Where commands do not run contained it asks, and says why", async () => {
        for (const off of [{ mode: "off" as const }, { whyUnavailable: "no namespaces" }]) {
            const project = Object.assign(new Project(), off);
            project.decide = yes;
            await project.grants.allowCommand({ command: "make", cwd: "" });
            await project.turn([edits("a"), edits("b"), run(), run()]);
            expect(project.asked.map((each) => each.kind === "shell" && each.lapsed)).to.deep.equal(
                ["2 files changed since it was allowed"]
            );
            expect(project.ran).to.deep.equal(["real", "real"]);
        }
    });

    it("A permission until North quits also ends with a change, and the answer renews it", async () => {
        const project = new Project();
        project.needs = "It needs the network";
        project.decide = () => ({ kind: "approve", remember: "session" });
        await project.turn([run(), run()]);
        expect(project.ran).to.deep.equal(["contained", "real", "real"]);
        await project.turn([edits("a"), run(), run()]);
        expect(project.ran.slice(3)).to.deep.equal(["contained", "real", "real"]);
        expect(project.asked).to.have.length(2);
    });

    it("What changes while the question is open is not covered by the answer", async () => {
        for (const remember of [undefined, "session", "always"] as const) {
            const project = new Project();
            project.mode = "off";
            await project.grants.allowCommand({ command: "make", cwd: "" });
            await project.grants.changes.add(["a"]);
            project.decide = () => {
                void project.grants.changes.add(["b"]);
                return { kind: "approve", ...(remember && { remember }) };
            };
            await project.turn([run(), run()]);
            expect(project.asked, remember).to.have.length(2);
        }
    });

    it("Approving all commands of a run covers it, and what such commands did is unknown", async () => {
        const project = new Project();
        project.runGrants.approveShell = true;
        await project.grants.allowCommand({ command: "make", cwd: "" });
        await project.turn([edits("a"), run(), run("./change-something")]);
        expect(project.ran).to.deep.equal(["real", "real"]);
        project.runGrants.approveShell = false;
        await project.turn([run()]);
        expect(project.results.at(-1)).to.contain(
            "because files may have changed since it was allowed"
        );
    });

    it("In print mode it runs contained, and what could not run is denied with the true reason", async () => {
        const project = new Project();
        const nobody = { approver: undefined };
        await project.grants.allowCommand({ command: "make", cwd: "" });
        await project.turn([run(), edits("a"), run()], nobody);
        expect(project.ran).to.deep.equal(["real", "contained"]);

        project.needs = "It needs the network";
        await project.turn([run()], nobody);
        expect(project.results.at(-1))
            .to.contain("out")
            .and.contain("It needs the network.")
            .and.contain("contained, because 1 file changed since it was allowed")
            .and.contain("Not approved: print mode cannot ask. This is its contained run.");

        project.mode = "off";
        await project.turn([run()], nobody);
        expect(project.results.at(-1)).to.contain(
            "Its permission lapsed: 1 file changed since it was allowed."
        );
        expect(project.ran).to.deep.equal(["real", "contained", "contained"]);
    });

    it("Where no permission counts, none has lapsed", async () => {
        const required = Object.assign(new Project(), {
            mode: "required",
            needs: "It needs the network",
        });
        const asking = new Project();
        for (const project of [required, asking]) {
            await project.grants.allowCommand({ command: "make", cwd: "" });
            await project.grants.changes.add(["a"]);
            await project.turn([run()], project === asking ? { mode: "ask" } : {});
            expect(project.ran).to.deep.equal(["contained"]);
            expect(project.results.at(-1)).not.to.contain("since it was allowed");
        }
        expect(required.asked).to.have.length(1);
        expect(required.asked[0]).not.to.have.property("lapsed");
    });

    it("Whatever the order of answers, edits and runs, it never runs for real after a change without a yes", async () => {
        const step = fc.constantFrom(
            ...([
                "edit",
                "edit by another North",
                "run",
                "run for real",
                "allow",
                "session",
            ] as const),
            ...(["yes to effects", "no to effects", "automatic effects", "waiver"] as const)
        );
        await fc.assert(
            fc.asyncProperty(fc.array(step, { maxLength: 14 }), async (steps) => {
                const project = new Project();
                const { changes } = project.grants;
                /** Whether everything that the model changed was covered by a yes. */
                let isCovered = false;
                let isAllowed = false;
                for (const each of steps) {
                    const before = project.ran.length;
                    project.effects = each.endsWith("effects") ? ["dist/a"] : [];
                    project.needs = each === "run for real" || each === "session" ? "x" : undefined;
                    project.runGrants.acceptEdits = !each.includes("to effects");
                    project.runGrants.approveShell = each === "waiver";
                    project.decide = () => {
                        if (each === "no to effects") return { kind: "deny" };
                        if (each === "session") return { kind: "approve", remember: "session" };
                        return yes();
                    };
                    const isFresh: boolean = isAllowed && isCovered;
                    if (each === "edit") {
                        await project.turn([edits("a")]);
                    } else if (each === "edit by another North") {
                        await changes.add(["b"]);
                    } else if (each === "allow") {
                        await project.grants.allowCommand({ command: "make", cwd: "" });
                    } else {
                        await project.turn([run()]);
                    }
                    const ran = project.ran.slice(before);
                    if (each.startsWith("edit")) {
                        isCovered = false;
                    } else if (each === "allow") {
                        [isAllowed, isCovered] = [true, true];
                    } else if (each === "waiver") {
                        isCovered &&= isFresh;
                    } else if (isFresh) {
                        expect(ran).to.deep.equal(["real"]);
                    } else {
                        expect(ran[0]).to.equal("contained");
                        if (each === "session") [isAllowed, isCovered] = [true, true];
                        if (each === "run for real") isCovered ||= isAllowed;
                        if (each === "yes to effects") isCovered = isAllowed;
                        if (each === "automatic effects") isCovered = false;
                        const isReal = each === "session" || each === "run for real";
                        expect(ran.includes("real")).to.equal(isReal);
                    }
                }
            }),
            { numRuns: sampledRuns(150) }
        );
    });
});
