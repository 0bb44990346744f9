import { execFile } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect } from "chai";

const TESTS = `
import * as fs from "node:fs";
describe("Some", () => {
    it("passes", () => {});
    it("always fails", () => { throw new Error("always"); });
    it("fails once", () => {
        if (fs.mkdirSync(import.meta.dirname + "/passes", { recursive: true })) throw new Error("once");
    });
});
`;

interface Run {
    readonly env?: NodeJS.ProcessEnv;
}

function run(options: readonly string[], { env }: Run = {}) {
    return new Promise<{ code: unknown; output: string }>((resolve) => {
        const all = { env: { ...process.env, ...env } };
        execFile(process.execPath, options, all, (error, output) =>
            resolve({ code: error?.code ?? 0, output })
        );
    });
}

describe("A second try of failed tests", () => {
    it("Only tests that pass alone are forgiven, and none where not all failures are known", async () => {
        const folder = mkdtempSync(path.join(tmpdir(), "north-tests-"));
        const failed = path.join(folder, "failed");
        const file = path.join(folder, "some.test.ts");
        writeFileSync(file, TESTS);
        const { passingAlone } = await import(path.resolve("scripts/second-try.js"));
        const mocha = ["node_modules/mocha/bin/mocha.js", "--no-parallel", file];
        for (const [known, forgiven] of [
            [2, 1],
            [3, 0],
        ] as const) {
            rmSync(path.join(folder, "passes"), { recursive: true, force: true });
            const { output } = await run(mocha, { env: { NORTH_TEST_FAILED: failed } });
            expect(output).to.match(/1 passing[^]*2 failing/);
            const said: string[] = [];
            const print = (text: string) => void said.push(text);
            const inTests = (options: readonly string[], { env }: Run) =>
                run(options, { env: { NORTH_TEST_FAILED: failed, ...env } });
            expect(await passingAlone(failed, known, inTests, print)).to.equal(forgiven);
            expect(existsSync(failed)).to.equal(false);
            expect(said.filter((text) => text.startsWith("Passed"))).to.have.length(forgiven);
        }
    });
});
