import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect } from "chai";
import { parse } from "yaml";
import { makeFolder } from "./workspace/make-folder.js";

interface Action {
    readonly inputs: Readonly<Record<string, { readonly default?: string }>>;
    readonly runs: {
        readonly steps: readonly { id?: string; run?: string; env?: Record<string, string> }[];
    };
}

const action: Action = parse(readFileSync("action.yml", "utf8"));
const step = action.runs.steps.find(({ id }) => id === "run");

/** Runs the step with a stand-in for North that answers and exits with a code. */
function run(inputs: Readonly<Record<string, string>>, code = 0) {
    const folder = makeFolder({});
    const inFolder = (name: string) => path.join(folder, name);
    const answer = JSON.stringify({
        result: "Two\nlines",
        costUsd: 0.25,
        conversationId: "abc123",
    });
    const stub = `#!/bin/sh\nprintf '%s\\n' "$@" > args\ncat > stdin\necho '${answer.replace("\\n", "\\\\n")}'\nexit ${code}\n`;
    writeFileSync(inFolder("north"), stub);
    chmodSync(inFolder("north"), 0o755);
    const env = Object.fromEntries(
        Object.entries(step?.env ?? {}).map(([variable, value]) => {
            const name = /inputs\.([\w-]+)/.exec(value)?.[1] ?? "";
            return [variable, inputs[name] ?? action.inputs[name]?.default ?? ""];
        })
    );
    let exitCode = 0;
    try {
        execFileSync("bash", ["-e", "-c", step?.run ?? ""], {
            cwd: folder,
            stdio: "pipe",
            env: {
                ...env,
                PATH: `${folder}:${process.env.PATH}`,
                RUNNER_TEMP: folder,
                GITHUB_OUTPUT: inFolder("output"),
                GITHUB_STEP_SUMMARY: inFolder("summary"),
            },
        });
    } catch (error) {
        exitCode = Number((error as { status?: number }).status);
    }
    const read = (name: string) => readFileSync(inFolder(name), "utf8");
    return { exitCode, args: read("args").trim().split("\n"), read, folder };
}

describe("The GitHub Action", () => {
    it("A prompt reaches North on stdin with the limits, and its answer becomes outputs and summary", () => {
        const { exitCode, args, read } = run({ prompt: "Review this", mode: "ask" });
        expect(exitCode).to.equal(0);
        expect(args.join(" ")).to.equal(
            "chat --print --output-format json --mode ask --max-cost 1 --max-turns 100 --timeout 1800"
        );
        expect(read("stdin")).to.equal("Review this");
        expect(read("output")).to.match(/^result<<(end-\S+)\nTwo\nlines\n\1\ncost-usd<</);
        expect(read("summary")).to.equal("Two\nlines\n");
    });

    it("No input is run as a part of the script", () => {
        const hostile = '"; touch owned; $(touch owned) `touch owned`';
        const { args, read, folder } = run({ prompt: hostile, until: hostile, model: hostile });
        expect(existsSync(path.join(folder, "owned"))).to.equal(false);
        expect(read("stdin")).to.equal(hostile);
        expect(args.filter((argument) => argument === hostile)).to.have.lengthOf(2);
        const scripts = action.runs.steps.map(({ run: script = "" }) => script).join("\n");
        expect(scripts).not.to.contain("${{");
    });

    it("A failure of North fails the step, and its answer is an output all the same", () => {
        const { exitCode, read } = run({ prompt: "Go", "accept-edits": "true" }, 1);
        expect(exitCode).to.equal(1);
        expect(read("args")).to.contain("--accept-edits");
        expect(read("output")).to.contain("abc123");
    });
});
