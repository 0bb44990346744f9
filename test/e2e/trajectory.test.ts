import { execFileSync, spawnSync } from "node:child_process";
import * as fs from "node:fs";
import path from "node:path";
import { expect } from "chai";
import { problemsIn } from "../../src/base/json-schema.js";
import { ClaudeWorkplace } from "../helpers/claude-workplace.js";
import { PROGRAM } from "../helpers/north-program.js";
import { reply, text, toolUse } from "../helpers/vendors/messages-server.js";
import { makeFolder } from "../workspace/make-folder.js";

const SCHEMA = JSON.parse(fs.readFileSync("test/fixtures/atif/v1.7.schema.json", "utf8"));
const HARBOR = path.resolve("integrations/harbor");

interface Trajectory {
    readonly steps: readonly {
        readonly step_id: number;
        readonly source: string;
        readonly message: string;
        readonly tool_calls?: readonly { readonly tool_call_id: string }[];
        readonly observation?: { readonly results: readonly { readonly source_call_id: string }[] };
        readonly metrics?: object;
    }[];
    readonly final_metrics: object;
}

/** What Harbor's models check beside the schema. */
function expectValid(trajectory: Trajectory): void {
    expect(problemsIn(SCHEMA, trajectory)).to.deep.equal([]);
    for (const [index, { step_id, tool_calls = [], observation }] of trajectory.steps.entries()) {
        expect(step_id).to.equal(index + 1);
        const calls = tool_calls.map(({ tool_call_id }) => tool_call_id);
        for (const { source_call_id } of observation?.results ?? []) {
            expect(calls).to.include(source_call_id);
        }
    }
}

describe("Trajectories", () => {
    let place: ClaudeWorkplace;

    beforeEach(() => {
        place = new ClaudeWorkplace({ "a.txt": "one\n" });
    });
    afterEach(() => place.remove());

    it("A conversation exports as a trajectory that fits Harbor's published models", async () => {
        await place.serve([
            reply(
                text("Reading."),
                toolUse("read_1", "read_file", { path: "a.txt" }),
                toolUse("read_2", "read_file", { path: "gone.txt" })
            ),
            reply(text("It says one.")),
        ]);
        await place.run(["-p", "What does a.txt say?"]);
        const [id = ""] = place.conversationIds();
        const file = path.join(place.folder, "trajectory.json");
        const end = await place.run([
            ...["conversations", "export", id, "--format", "atif", "-o", file],
        ]);
        expect(end.code, end.stderr).to.equal(0);
        const trajectory = JSON.parse(fs.readFileSync(file, "utf8"));
        expectValid(trajectory);
        const [user, call, answer] = trajectory.steps;
        expect(user).to.include({ source: "user", message: "What does a.txt say?" });
        expect(call.tool_calls).to.have.lengthOf(2);
        expect(call.observation.results[0].content).to.contain("one");
        expect(call.observation.results[1].extra.ok).to.equal(false);
        expect(answer).to.include({ source: "agent", message: "It says one." });
        expect(answer.metrics).to.deep.include({ prompt_tokens: 10, completion_tokens: 5 });
        expect(trajectory.final_metrics).to.deep.include({
            total_prompt_tokens: 20,
            total_completion_tokens: 10,
            total_cost_usd: (20 * 2 + 10 * 10) / 1e6,
            total_steps: 3,
        });
    });

    it("Harbor's adapter runs North, reads its costs and leaves a trajectory", () => {
        const logs = path.join(place.folder, "logs");
        const bin = path.join(place.folder, "bin");
        fs.mkdirSync(logs);
        fs.mkdirSync(bin);
        const north = `#!/bin/sh\nexec '${process.execPath}' '${PROGRAM}' "$@"\n`;
        fs.writeFileSync(path.join(bin, "north"), north, { mode: 0o755 });
        const printed = execFileSync("python3", [path.join(HARBOR, "check.py"), bin, logs], {
            cwd: place.repository,
            env: { ...place.environment(), PYTHONDONTWRITEBYTECODE: "1" },
            encoding: "utf8",
        });
        expect(printed).to.match(/^\d{3,} \d+ 0 end\n$/);
        expectValid(JSON.parse(fs.readFileSync(path.join(logs, "trajectory.json"), "utf8")));
    });

    for (const [version, isInstalled] of [
        ["20.18.3", true],
        ["20.19.0", false],
        ["24.1.0", false],
    ] as const) {
        const does = isInstalled ? "ends where it cannot replace" : "keeps";
        it(`Harbor's installation ${does} Node ${version}`, () => {
            const adapter = fs.readFileSync(path.join(HARBOR, "north_agent.py"), "utf8");
            const script = /^INSTALL = """\n([^]*?)"""$/m.exec(adapter)?.[1] ?? "";
            const versions = `Object.defineProperty(process, "versions", { value: { node: "${version}" } });`;
            const log = 'echo "$(basename "$0") $*" >> "$LOG"';
            const folder = makeFolder({
                "version.cjs": versions,
                "bin/node": `#!/bin/sh\nexec ${process.execPath} -r ${'"$VERSION"'} "$@"\n`,
                "bin/npm": `#!/bin/sh\n${log}\n`,
                "bin/curl": "#!/bin/sh\n",
                "bin/apt-get": `#!/bin/sh\n${log}\n[ "$1" = update ]\n`,
            });
            const bin = path.join(folder, "bin");
            for (const name of fs.readdirSync(bin)) fs.chmodSync(path.join(bin, name), 0o755);
            const { status } = spawnSync("bash", ["-c", script], {
                env: {
                    PATH: `${bin}:/usr/bin:/bin`,
                    VERSION: path.join(folder, "version.cjs"),
                    LOG: path.join(folder, "log"),
                },
            });
            const steps = fs.readFileSync(path.join(folder, "log"), "utf8").trim().split("\n");
            expect({ status, steps }).to.deep.equal(
                isInstalled
                    ? {
                          status: 1,
                          steps: ["apt-get update", "apt-get install --yes curl ca-certificates"],
                      }
                    : { status: 0, steps: ["npm install --global north-cli@{version}"] }
            );
        });
    }
});
