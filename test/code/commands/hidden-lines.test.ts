import { spawnSync } from "node:child_process";
import * as fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { expect } from "chai";
import fc from "fast-check";
import { readCommand } from "../../../src/code/commands/read-command.js";
import { sampledRuns } from "../../helpers/sample.js";
import { patient } from "../../helpers/patience.js";

const inQuotes = (line: string) => `'${line.replaceAll("'", `'\\''`)}'`;
const inBackticks = (line: string) => "`" + line.replace(/[\\`$]/g, "\\$&") + "\n`";
let documents = 0;
const inDocument = (start: string, body: string) => {
    documents += 1;
    return `cat ${start}E${documents}\n${body}\n\tE${documents}\nE${documents}`;
};

/** Each runs the line that it is given. */
const PLACES: readonly ((line: string) => string)[] = [
    (line) => `{ ${line}\n}`,
    (line) => `( ${line}\n)`,
    (line) => `true && { ${line}\n}`,
    (line) => `echo | { ${line}\n} | cat`,
    (line) => `echo &\n${line}`,
    (line) => `! { ${line}\n}`,
    (line) => `if ${line}\nthen :; fi`,
    (line) => `if false; then :; elif ${line}\nthen :; fi`,
    (line) => `while ${line}\ndo break; done`,
    (line) => `for x in $(${line}\n); do :; done`,
    (line) => `for ((i=0;i<1;i++)); do ${line}\ndone`,
    (line) => `case $(${line}\n) in *) ;; esac`,
    (line) => `case x in (y|x) ${line}\n;; esac`,
    (line) => `f() { ${line}\n}; f`,
    (line) => `f() ( ${line}\n); f`,
    (line) => `coproc { ${line}\n}; wait`,
    (line) => `echo ${inBackticks(line)}`,
    (line) => `echo "a \${x:+b} $(${line}\n)"`,
    (line) => `echo "\${x:-"$(${line}\n)"}"`,
    (line) => `echo \${x:-${inBackticks(line)}}`,
    (line) => inDocument("<<", `$(${line}\n)`),
    (line) => inDocument("<<", ` a ${inBackticks(line)} b`),
    (line) => inDocument("<<-", `\t$(${line}\n)`),
    (line) => `cat <<< "$(${line}\n)"`,
    (line) => `cat < <(${line}\n)`,
    (line) => `x=($(${line}\n))`,
    (line) => `x=1 y=$(${line}\n) true`,
    (line) => `export x=$(${line}\n)`,
    (line) => `a[$(${line}\necho 0)]=1`,
    (line) => `echo $(( $(${line}\necho 1) ))`,
    (line) => `((x=$(${line}\necho 1)))`,
    (line) => `echo {a,$(${line}\n)}`,
    (line) => `[[ -n $(${line}\n) ]]`,
    (line) => `[[ -v ${inQuotes(`a[$(${line}\n)]`)} ]]`,
    (line) => `x=${inQuotes(`a[$(${line}\n)]`)}; echo $((x))`,
    (line) => `printf -v ${inQuotes(`a[$(${line}\n)]`)} x`,
    (line) => `let ${inQuotes(`a[$(${line}\n)]=1`)}`,
    (line) => `x=${inQuotes(`$(${line}\n)`)}; echo "\${x@P}"`,
    (line) => `PS4=${inQuotes(`$(${line}\n)`)}; set -x; true`,
    (line) => `mapfile -C ${inQuotes(`${line}\n:`)} -c 1 a <<< x`,
    (line) => `eval -- ${inQuotes(line)}`,
    (line) => `trap -- ${inQuotes(line)} EXIT`,
    (line) => `bash -c -e ${inQuotes(line)}`,
    (line) => `bash <<< ${inQuotes(line)}`,
    (line) => `timeout -k5s 9 bash -c ${inQuotes(line)}`,
    (line) => `xargs -d'\\n' bash -c ${inQuotes(line)} <<< x`,
    (line) => `find . -maxdepth 0 -exec bash -c ${inQuotes(line)} \\;`,
    (line) => `# ' " \` $(\n${line}`,
    (line) => `cat <<'E'\n'$( \`\nE\n${line}`,
    (line) => `echo \\' "\\"" $'\\'' a#b $# $$; ${line}`,
    (line) => `[[ a =~ ^(a|b)$ && "a b" == a* ]]; ${line}`,
    (line) => `echo \${x//a/b} "\${x%\\}}"; ${line}`,
    (line) => `echo "$(echo "$(echo ")")")"; ${line}`,
];

describe("What bash runs", () => {
    let home: string;

    before(() => (home = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "north-hidden-")))));
    after(() => fs.rmSync(home, { recursive: true }));

    function runs(line: string): boolean {
        const ran = path.join(home, "ran");
        fs.rmSync(ran, { force: true });
        const env = { PATH: process.env.PATH, HOME: home };
        spawnSync("bash", ["--norc", "-c", line], {
            cwd: home,
            env,
            timeout: patient(10_000),
            input: "",
        });
        return fs.existsSync(ran);
    }

    /** Whether it is read, or said not to be. */
    async function isTold(line: string): Promise<boolean> {
        const { calls, facts, isComplete } = await readCommand(line);
        const isHidden = facts.some((fact) => fact.kind === "other" && fact.hidesProgram);
        return !isComplete || isHidden || calls.some(({ words }) => words[0] === "touch");
    }

    for (const place of PLACES) {
        const line = place("touch ~/ran");
        it(`Is known before: \`${line.replace(/\s+/g, " ")}\``, async () => {
            expect(runs(line)).to.equal(true);
            expect(await isTold(line)).to.equal(true);
        });
    }

    it("Is known before, however constructs of bash are nested", async () => {
        const nested = fc
            .array(fc.constantFrom(...PLACES), { minLength: 2, maxLength: 3 })
            .map((places) => places.reduce((line, place) => place(line), "touch ~/ran"));
        await fc.assert(
            fc.asyncProperty(nested, async (line) => {
                expect((await isTold(line)) || !runs(line), line).to.equal(true);
            }),
            { numRuns: sampledRuns(400) }
        );
    });
});
