import { expect } from "chai";
import { runsFile } from "../../../src/core/approval/runs-file.js";

const RUNS: readonly (readonly [command: string, cwd: string, path: string])[] = [
    ["npm test", "", "package.json"],
    ["CI=1 npm run build && echo done", "packages/a", "packages/a/package.json"],
    ["npm test", "packages/a", "package.json"],
    ["/usr/bin/make -j4 all", "", "Makefile"],
    ["cargo check", "crates/core", "crates/core/build.rs"],
    ["./scripts/check.sh --fast", "", "scripts/check.sh"],
    ["bash 'scripts/check.sh'", "", "scripts/check.sh"],
    ["node ../tools/run.js", "docs", "tools/run.js"],
    ["python -m pytest --rootdir=. -c setup.cfg", "", "setup.cfg"],
    ["sh -c 'exec ./a.sh;true'", "", "a.sh"],
];
const RUNS_NOT: typeof RUNS = [
    ["npm test", "", "packages/a/package.json"],
    ["npm test", "packages/b", "packages/a/package.json"],
    ["npm test", "", "src/package.json.ts"],
    ["eslint src", "", "src/app.ts"],
    ["git status", "", "package.json"],
    ["echo npm-run", "", "package.json"],
];

describe("runsFile", () => {
    for (const [command, cwd, path] of RUNS) {
        it(`\`${command}\` in "${cwd}" runs ${path}`, () => {
            expect(runsFile({ command, cwd }, path)).to.equal(true);
        });
    }
    for (const [command, cwd, path] of RUNS_NOT) {
        it(`\`${command}\` in "${cwd}" does not run ${path}`, () => {
            expect(runsFile({ command, cwd }, path)).to.equal(false);
        });
    }
});
