import path from "node:path";
import { expect } from "chai";
import type { Answer } from "../helpers/acp-editor.js";
import { ClaudeWorkplace } from "../helpers/claude-workplace.js";
import {
    commitAll,
    questionsAbout,
    type SessionCommand,
    withoutNamespaces,
} from "../helpers/command-session.js";
import { type LocalRegistry, startLocalRegistry } from "../helpers/local-registry.js";
import { type ProxyServer, startProxy } from "../helpers/proxy-server.js";
import { itUnsampled } from "../helpers/sample.js";
import { describeContained } from "../shell/containment/contained.js";
import { git } from "../workspace/make-folder.js";

const FILES: Readonly<Record<string, string>> = {
    ".gitignore": "node_modules\ndist\n",
    "README.md": "# Timer\n\nSays how long something takes.\n",
    "package.json": JSON.stringify(
        {
            name: "timer",
            version: "1.0.0",
            type: "module",
            scripts: { build: "node scripts/build.js", test: "node --test test/" },
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

/** An evening: look around, install, then four features with their builds, tests and commits. */
const EVENING: readonly SessionCommand[] = [
    ...of("quiet", "ls -la", "cat package.json", "cat README.md", "git log --oneline -10"),
    ...of("quiet", "git status", "find . -name '*.js' -not -path './node_modules/*'"),
    ...of("quiet", "sed -n '1,40p' src/timer.js", "cat test/timer.test.js | head -20"),
    ...of("quiet", "grep -rnE 'curl|steps' src scripts", "node --version && npm --version"),
    ...of("quiet", "wc -l src/*.js test/*.js", "npm test"),
    ...of("real", "npm install ms"),
    ...of("quiet", "npm ls --depth 0", 'node -p \'require("ms")("2 days")\''),
    ...of("output", "npm run build"),
    ...of("quiet", "head -3 dist/timer.js", "git diff --stat"),
    ...of("git", 'git add -A && git commit -qm "Add ms"'),
    ...[1, 2, 3, 4].flatMap(featureOf),
    ...of("output", "npm run build"),
];

/** Questions by the kind of their command. */
type Counts = Readonly<Partial<Record<SessionCommand["kind"], number>>>;

interface Evening {
    readonly tier: string;
    readonly under: readonly string[] | undefined;
    /** With each question answered once. */
    readonly once: Counts;
    /** With builds and commits allowed for good where that is offered. */
    readonly always: Counts;
}

/**
 * Before outputs and commits were effects of contained runs, and without read-only runs (commit
 * 81f15326, by this test with `NORTH_PROGRAM`): 25 and 25 contained, with the installation run for
 * real; 60 and 38 without namespaces.
 */
const EVENINGS: readonly Evening[] = [
    {
        tier: "contained",
        under: [],
        // The installation asks for its host, and for what it did to the project's files.
        once: { real: 2, output: 10, git: 5, edit: 8 },
        always: { real: 2, output: 1, git: 1, edit: 8 },
    },
    {
        tier: "read-only",
        under: withoutNamespaces(),
        once: { real: 1, output: 10, git: 5, edit: 8 },
        always: { real: 1, output: 1, git: 5, edit: 8 },
    },
];

/** Without the programs of North's own packages, an npm among them: no user has these. */
const PATH_OF_USER = (process.env.PATH ?? "")
    .split(path.delimiter)
    .filter((folder) => !folder.includes("node_modules"))
    .join(path.delimiter);

const once: Answer = () => "yes";
const always: Answer = ({ options }) =>
    options.find(({ optionId, name }) => optionId === "always" && !name.includes("edits"))
        ?.optionId ?? "yes";

describeContained("How often an evening of 60 commands is interrupted", () => {
    let place: ClaudeWorkplace;
    let registry: LocalRegistry;
    let proxy: ProxyServer;
    let removeOrigin = () => {};
    before(async () => {
        registry = await startLocalRegistry();
        proxy = await startProxy();
    });
    after(() => Promise.all([registry.close(), proxy.close()]));
    beforeEach(() => {
        const { port } = new URL(registry.url);
        place = new ClaudeWorkplace({
            ...FILES,
            ".npmrc": `registry=http://registry.example:${port}/\nreplace-registry-host=always\n`,
        });
        place.configure({ containment: "auto" });
        removeOrigin = commitAll(place);
    });
    afterEach(async () => {
        removeOrigin();
        await place.remove();
    });

    async function expectQuestions(answer: Answer, under: readonly string[], expected: Counts) {
        const env = { HTTP_PROXY: proxy.url, NO_PROXY: "127.0.0.1", PATH: PATH_OF_USER };
        const { asked, results } = await questionsAbout(place, EVENING, answer, { env, under });
        const counts = EVENING.map(({ kind }) => [
            kind,
            asked.filter((each) => each.kind === kind).length,
        ]).filter(([, count]) => count !== 0);
        expect(Object.fromEntries(counts), JSON.stringify(asked, null, 1)).to.deep.equal(expected);
        // All of it happened: four tests failed, and everything is in the project.
        expect(results.filter((result) => result.includes("# fail 1"))).to.have.length(4);
        expect(git(place.repository, "rev-list", "--count", "HEAD").trim()).to.equal("6");
        expect(git(place.repository, "status", "--short")).to.equal("");
        const files = place.files();
        expect(files["dist/timer.js"]).to.contain("steps = 4;");
        expect(files).to.have.property("node_modules/ms/package.json");
    }

    it("The evening has 60 commands: ten builds, five commits, an installation", () => {
        const count = (kind: SessionCommand["kind"]) =>
            EVENING.filter((each) => each.kind === kind).length;
        expect(EVENING).to.have.length(60);
        expect([count("output"), count("git"), count("real")]).to.deep.equal([10, 5, 1]);
    });

    for (const evening of EVENINGS) {
        const { tier, under } = evening;
        itUnsampled(`Where commands run ${tier}, at most 25 times`, async function () {
            if (under === undefined) this.skip();
            await expectQuestions(once, under, evening.once);
        });

        const test = tier === "contained" ? it : itUnsampled;
        test(`Where commands run ${tier}, at most 15 times once builds and commits are allowed`, async function () {
            if (under === undefined) this.skip();
            await expectQuestions(always, under, evening.always);
        });
    }
});
