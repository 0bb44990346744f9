import type { SessionCommand } from "../helpers/command-session.js";

export const EVENING_FILES: Readonly<Record<string, string>> = {
    ".gitignore": "node_modules\ndist\n",
    "README.md": "# Timer\n\nSays how long something takes.\n",
    "package.json": JSON.stringify(
        {
            name: "timer",
            version: "1.0.0",
            type: "module",
            scripts: { build: "node scripts/build.js", test: "node --test" },
        },
        null,
        4
    ),
    "scripts/build.js": `import fs from "node:fs";
fs.mkdirSync("dist", { recursive: true });
for (const name of fs.readdirSync("src")) {
    fs.writeFileSync("dist/" + name, "// " + process.hrtime.bigint() + "\\n" + fs.readFileSync("src/" + name));
}
console.log("built");
`,
    "src/timer.js": "export const steps = 0;\n",
    "test/timer.test.js": `import test from "node:test";
import assert from "node:assert";
import * as timer from "../src/timer.js";
test("steps", () => assert.ok(Number.isInteger(timer.steps)));
`,
};

const of = (kind: SessionCommand["kind"], ...commands: readonly string[]) =>
    commands.map((command): SessionCommand => ({ kind, command }));

/** A feature that is wrong at first. */
const featureOf = (step: number): readonly SessionCommand[] => [
    ...of("edit", `sed -i 's/steps = .*/steps = ${step}.5;/' src/timer.js`),
    ...of("output", "npm run build"),
    ...of("quiet", "npm test 2>&1 | tail -30", "cat src/timer.js"),
    ...of("edit", `sed -i 's/steps = .*/steps = ${step};/' src/timer.js`),
    ...of("quiet", "npm test"),
    ...of("output", "npm run build"),
    ...of("quiet", "git diff", `grep -rn "steps = ${step}" src dist`),
    ...of("git", `git commit -qam "Count to ${step}"`),
];

/** Look around, install, four features with their builds, tests and commits, a last build. */
export const EVENING_TURNS: readonly (readonly SessionCommand[])[] = [
    [
        ...of("quiet", "ls -la", "cat package.json", "cat README.md", "git log --oneline -10"),
        ...of("quiet", "git status", "find . -name '*.js' -not -path './node_modules/*'"),
        ...of("quiet", "sed -n '1,40p' src/timer.js", "cat test/timer.test.js | head -20"),
        ...of("quiet", "grep -rnE 'curl|steps' src scripts", "node --version && npm --version"),
        ...of("quiet", "wc -l src/*.js test/*.js", "npm test"),
    ],
    [
        ...of("real", "npm install ms"),
        ...of("quiet", "npm ls --depth 0", 'node -p \'require("ms")("2 days")\''),
        ...of("output", "npm run build"),
        ...of("quiet", "head -3 dist/timer.js", "git diff --stat"),
        ...of("git", 'git add -A && git commit -qm "Add ms"'),
    ],
    ...[1, 2, 3, 4].map(featureOf),
    of("output", "npm run build"),
];
export const EVENING = EVENING_TURNS.flat();
