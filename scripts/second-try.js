import { existsSync, readFileSync, rmSync } from "node:fs";
import path from "node:path";

/** More failures than these are not due to a halted machine. */
const MAX_TESTS = 8;
const MAX_MS = 10 * 60_000;

/**
 * Runs what failed once more, one test at a time with nothing beside it: the host of a slow machine
 * halts programs for longer than they wait. Returns how many passed. `list` is a file with a line of
 * JSON for each test that failed; if it has fewer than `failing`, a hook failed, and nothing is tried.
 */
export async function passingAlone(list, failing, run, print) {
    const lines = existsSync(list) ? readFileSync(list, "utf8").split("\n").filter(Boolean) : [];
    rmSync(list, { force: true });
    if (lines.length !== failing || failing > MAX_TESTS) return 0;
    const end = Date.now() + MAX_MS;
    let passed = 0;
    for (const { file, title } of lines.map((line) => JSON.parse(line))) {
        const mocha = ["node_modules/mocha/bin/mocha.js", "--no-parallel", "--fgrep", title, file];
        const { code, output } = await run(mocha, {
            env: {
                NORTH_TEST_UNTIL: "Infinity",
                NORTH_TEST_SAMPLED: undefined,
                NORTH_TEST_FAILED: undefined,
            },
            timeout: Math.max(1, end - Date.now()),
        });
        const isPassed = code === 0 && /^ {2}[1-9]\d* passing\b/m.test(output);
        if (isPassed) passed += 1;
        const verdict = isPassed ? "Passed" : `${output}Failed again`;
        print(`${verdict} when run alone: ${path.relative(".", file)}: ${title}\n`);
    }
    return passed;
}
