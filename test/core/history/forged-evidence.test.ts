import { spawnSync } from "node:child_process";
import * as fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { expect } from "chai";
import fc from "fast-check";
import { BUILTINS } from "../../../src/code/commands/shell-state.js";
import { evidenceOf } from "../../../src/core/history/evidence.js";
import { checkFinder } from "../../../src/host/effects/check-finder.js";
import type { Entry } from "../../../src/plugin/records.js";
import { sampledRuns } from "../../helpers/sample.js";
import { base, ran } from "./command-entries.js";
import { patient } from "../../helpers/patience.js";

/** Lines that exit with 0 although `npm test` fails, or never runs. */
const FORGED = [
    "npm() { :; }; npm test",
    "function npm { true; }\nnpm test",
    "if true; then npm() { :; }; fi; npm test",
    "{ npm() { :; }; }; npm test",
    "shopt -s expand_aliases\nalias npm=true\nnpm test",
    "shopt -s expand_aliases\n\\alias npm=true\nnpm test",
    "shopt -s expand_aliases\ncommand alias npm=true\nnpm test",
    "shopt -s expand_aliases\ntime alias npm=true\nnpm test",
    "time function npm { true; }\nnpm test",
    "time ! eval 'npm() { :; }'; npm test",
    "! npm test | npm test",
    "PATH=$PWD/../fake:$PATH npm test",
    "PATH=$PWD/../fake:$PATH; npm test",
    "export PATH=$PWD/../fake:$PATH && npm test",
    "declare -x PATH=$PWD/../fake:$PATH && npm test",
    "read PATH <<< ../fake; npm test",
    "printf -v PATH %s ../fake; npm test",
    "x=-v; printf $x PATH ../fake; npm test",
    "for PATH in ../fake; do :; done; npm test",
    "unset PATH; : ${PATH:=../fake}; npm test",
    "env PATH=$PWD/../fake npm test",
    "env -S 'PATH=../fake npm test'",
    "../fake/npm test",
    "$PWD/../fake/npm test",
    "cd ../fake && ./npm test",
    "cd ../fake; ./npm test",
    "hash -p ../fake/npm npm; npm test",
    "source ../fake/activate; npm test",
    ". ../fake/activate && npm test",
    "eval 'npm() { :; }'; npm test",
    "x=eval; $x 'npm() { :; }'; npm test",
    "e'v'al 'npm() { :; }'; npm test",
    "set -a; BASH_ENV=../fake/activate; bash -c 'npm test'",
    "BASH_ENV=../fake/activate bash -c 'npm test'",
    "bash --rcfile ../fake/activate -i -c 'npm test' 2>&1",
    "bash -nc 'npm test'",
    "bash -c 'npm() { :; }; npm test'",
    "bash -c 'exit 0; npm test'",
    "../fake/bash -c 'npm test'",
    "trap 'exit 0' EXIT; npm test",
    "trap 'exit 0' ERR; npm test",
    "exit 0; npm test",
    "exit; npm test",
    "exit 256 || npm test",
    "npm test || exit 256",
    "npm test || { exit 0; exit 1; }",
    "exec true; npm test",
    "set -- -e; npm test; true",
    "set -e; npm test && true; true",
    "set -e; false && npm test; true",
    "set -e; { npm test; true; } && true",
    "{ set -e; npm test; true; } && true",
    "set -e; { false && npm test; }; true",
    "xargs -r npm test </dev/null",
    "xargs -I{} npm test {} </dev/null",
    "setsid -f npm test",
    "git init -q . && git submodule foreach npm test",
    "command -v npm test",
    "npm_config_script_shell=/bin/true ../real/npm test || true",
] as const;

/** Lines that change what a later line of the same shell runs. */
const LEFT_BEHIND = [
    "npm() { :; }",
    "alias npm=true",
    "export PATH=/tmp/x:$PATH",
    "PATH=/tmp/x:$PATH",
    ". ./activate",
    "source .venv/bin/activate",
    'eval "$(cat setup)"',
    "hash -p /tmp/x/npm npm",
    "enable -f ./x.so npm",
    "trap 'exit 0' EXIT",
    "true; if true; then npm() { :; }; fi",
    "$command",
] as const;

/** Lines that do not. */
const LEFT_ALONE = [
    "git status && ls -la",
    "cd src; pwd",
    "for f in *.ts; do echo $f; done",
    "name=$(git branch --show-current); echo $name",
    "CI=1 NODE_ENV=test npm test",
    "[[ -f a.ts ]] && echo there || echo missing",
    "git ls-files | while read -r f; do wc -l $f; done",
    "echo $((2 * 3)) ${name:-none} ${name#a}",
    "bash -c 'set -eo pipefail; npm ci | tail'",
    "cat > a.ts <<'END'\nnpm() { :; }\nEND",
    "cd missing || exit 1",
    "sleep 1 & wait",
] as const;

describe("Forged evidence", () => {
    let folder: string;
    let project: string;

    before(() => {
        folder = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "north-forged-")));
        project = path.join(folder, "project");
        fs.mkdirSync(project);
        program("real/npm", "exit 1");
        for (const name of ["npm", "bash"]) program(`fake/${name}`, "exit 0");
        fs.writeFileSync(path.join(folder, "fake/activate"), "npm() { :; }\n");
    });
    after(() => fs.rmSync(folder, { recursive: true }));

    function program(file: string, text: string) {
        const name = path.join(folder, file);
        fs.mkdirSync(path.dirname(name), { recursive: true });
        fs.writeFileSync(name, `#!/bin/sh\n${text}\n`, { mode: 0o755 });
    }

    /** The exit code of a line where `npm` always fails. As in a session, the line is sourced. */
    function exitCodeOf(line: string): number | null {
        fs.writeFileSync(path.join(folder, "line"), `${line}\n`);
        const PATH = `${folder}/real:${process.env.PATH}`;
        const { status } = spawnSync("bash", ["--norc", "-c", ". ../line"], {
            ...{ cwd: project, env: { PATH, HOME: folder }, timeout: patient(10_000) },
        });
        return status;
    }

    async function resultsOf(...lines: Entry[][]): Promise<readonly string[]> {
        const user = { ...base(), kind: "user", mode: "agent", text: "Go.", content: [] } as Entry;
        const files = [{ path: "a.ts", beforeHash: null, afterHash: "0" }];
        const edit = { ...base(), kind: "change", files } as Entry;
        const found = await evidenceOf([user, edit, ...lines.flat()], 0, checkFinder(project));
        return found?.checks.map(({ result }) => result) ?? [];
    }

    for (const line of FORGED) {
        it(`\`${line.replaceAll("\n", "⏎")}\` exits with 0, and is no evidence that npm test passed`, async () => {
            expect(exitCodeOf(line)).to.equal(0);
            expect(await resultsOf(ran(line, 0))).to.not.contain("passed");
        });
    }

    it("No line made of wrappers that exits with 0 proves a check that always fails", async () => {
        const wrapped = fc.letrec<{ line: string }>((tie) => ({
            line: fc.oneof(
                { maxDepth: 4, withCrossShrink: true },
                fc.constantFrom(
                    "npm test",
                    "npm test",
                    "CI=1 npm test",
                    "true",
                    "ls",
                    "cd .",
                    "exit"
                ),
                fc.constantFrom(...FORGED),
                fc
                    .tuple(
                        fc.constantFrom("; ", " && ", " || ", " | ", "\n", " & "),
                        tie("line"),
                        tie("line")
                    )
                    .map(([sign, one, other]) => `${one}${sign}${other}`),
                fc
                    .tuple(
                        fc.constantFrom(
                            ...["( @ )", "{ @; }", "! @", "time @", "env @", "command @"],
                            ...["if @; then true; fi", "while @; do break; done", "exec @"],
                            ...["set -e; @", "set -eo pipefail; @", "@ || exit 1", "@ > out 2>&1"],
                            ...["bash -c '@'", "timeout 5 @", "x=$(@)", "nohup @", "f() { @; }; f"],
                            ...["case a in a) @;; esac", "for x in 1; do @; done", "@ <<< x"]
                        ),
                        tie("line")
                    )
                    .map(([wrapper, inner]) => wrapper.replace("@", () => inner))
            ),
        })).line;
        await fc.assert(
            fc.asyncProperty(wrapped, async (line) => {
                if (!line.includes("npm test") || (await resultsOf(ran(line, 0)))[0] !== "passed") {
                    return;
                }
                expect(exitCodeOf(line)).to.not.equal(0);
            }),
            { numRuns: sampledRuns(1_000), seed: Number(process.env.NORTH_TEST_SEED ?? 27) }
        );
    });

    for (const line of LEFT_BEHIND) {
        it(`After \`${line}\` no later check of the session is known`, async () => {
            expect(await resultsOf(ran(line, 0), ran("npm test", 0))).to.deep.equal(["unknown"]);
        });
    }

    for (const line of LEFT_ALONE) {
        it(`After \`${line.replaceAll("\n", "⏎")}\` a later check counts`, async () => {
            expect(await resultsOf(ran(line, 0), ran("npm run lint", 0))).to.contain("passed");
        });
    }

    it("A contained check depends on its own shell's state, not on the session's", async () => {
        const changed = { contained: true, shellChanged: true };
        const definition = ran("npm() { :; }", 0, { contained: true });
        expect(await resultsOf(definition, ran("npm test", 0, { contained: true }))).to.deep.equal([
            "passed",
        ]);
        expect(await resultsOf(ran("npm test", 0, changed))).to.deep.equal(["unknown"]);
    });

    it("All builtins and reserved words of bash are known", () => {
        const { stdout } = spawnSync("bash", ["-c", "compgen -bk"], { encoding: "utf8" });
        expect(
            stdout
                .trim()
                .split("\n")
                .filter((name) => !BUILTINS.has(name))
        ).to.deep.equal([]);
    });
});
