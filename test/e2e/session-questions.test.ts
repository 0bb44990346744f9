import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect } from "chai";
import { Editor } from "../helpers/acp-editor.js";
import { ClaudeWorkplace } from "../helpers/claude-workplace.js";
import { reply, text, toolUse } from "../helpers/vendors/messages-server.js";
import { describeContained } from "../shell/containment/contained.js";

/** Leave what the real ones leave where git ignores it, with contents that differ in each run. */
const TOOLS: Readonly<Record<string, string>> = {
    vitest: `mkdir -p node_modules/.vite/vitest/da39a3 coverage/.tmp
date +%s%N >node_modules/.vite/vitest/da39a3/results.json
echo ' ✓ src/m1.test.ts (3 tests) 4ms'
! grep -l broken src/*.ts >&2`,
    tsc: `mkdir -p node_modules/.cache; date +%s%N | tee node_modules/.cache/tsconfig.tsbuildinfo >tsconfig.tsbuildinfo`,
    eslint: "date +%s%N >.eslintcache; echo '✔ No problems'",
    vite: "mkdir -p dist/assets; date +%s%N >dist/assets/index.js; echo 'built in 93ms'",
};
const SCRIPTS = { test: "vitest run", types: "tsc", lint: "eslint --cache .", build: "vite build" };

const NUMBERS = Array.from({ length: 14 }, (_, index) => index + 1);
const FILES: Readonly<Record<string, string>> = {
    ".gitignore": "node_modules\ndist\ncoverage\n*.tsbuildinfo\n.eslintcache\n",
    "package.json": JSON.stringify({ name: "shop", scripts: SCRIPTS }),
    ...Object.fromEntries(NUMBERS.map((number) => [`src/m${number}.ts`, `export const m = 0;\n`])),
};

interface Call {
    readonly tool: string;
    readonly input: Record<string, unknown>;
}
const run = (command: string): Call => ({ tool: "shell_run", input: { command } });
const read = (number: number): Call => ({
    tool: "read_file",
    input: { path: `src/m${number}.ts` },
});
const edit = (number: number, value: string): Call => ({
    tool: "edit_replace_exact",
    input: { path: `src/m${number}.ts`, old: "m = 0", new: `m = ${value}` },
});

const TEST = run("npx --no-install vitest run 2>&1 | tail -20");
const COMMIT = "git -c user.name=T -c user.email=t@example.org commit -qam 'Change the modules'";
const COMMITTED = 'Commit to master: "Change the modules" (13 files +13 -13, by T <t@example.org>)';
/** 30 reads, 14 edits, 12 runs and 3 calls of git, as replies of one or more calls. */
const SESSION: readonly (readonly Call[])[] = [
    [run("git status --short"), { tool: "list_root", input: {} }, ...NUMBERS.map(read)],
    [1, 2, 3].map((number) => edit(number, number === 2 ? "broken" : "1")),
    [TEST],
    [run("npm test")],
    [read(2), { tool: "search_text", input: { query: "broken" } }],
    [{ tool: "edit_replace_exact", input: { path: "src/m2.ts", old: "broken", new: "1" } }],
    [TEST, run("npm run types"), run("npm run lint")],
    [...[4, 5, 6, 7].map(read), { tool: "find_files", input: { pattern: "src/*.ts" } }],
    [4, 5, 6, 7, 8].map((number) => edit(number, "2")),
    [TEST, run("npm run types"), run("npm run build")],
    [...[9, 10, 11].map(read), { tool: "search_text", input: { query: "export" } }],
    [9, 10, 11, 12, 13].map((number) => edit(number, "3")),
    [run("npm test"), run("npm run lint"), run("npm run build"), TEST],
    [read(1), read(2), read(3), { tool: "list_folder", input: { path: "src" } }],
    [run("git diff --stat"), run(COMMIT)],
];
const EDITED = [1, 2, 3, 2, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13];

describeContained("What a session of 59 calls asks", () => {
    let place: ClaudeWorkplace;
    let editor: Editor;
    beforeEach(() => {
        place = new ClaudeWorkplace(FILES);
        place.configure({ containment: "auto" });
        const programs = place.place("node_modules/.bin");
        mkdirSync(programs, { recursive: true });
        for (const [name, script] of Object.entries(TOOLS)) {
            writeFileSync(path.join(programs, name), `#!/bin/sh\n${script}\n`);
            chmodSync(path.join(programs, name), 0o755);
        }
        const git = (...args: readonly string[]) =>
            execFileSync("git", ["-c", "user.name=T", "-c", "user.email=t@x", ...args], {
                cwd: place.repository,
            });
        git("init", "-q");
        git("add", ".");
        git("commit", "-qm", "first");
    });
    afterEach(async () => {
        editor.kill("SIGKILL");
        await editor.end();
        await place.remove();
    });

    /** The titles of all questions, each answered yes. */
    async function questionsOf(args: readonly string[]): Promise<readonly string[]> {
        let count = 0;
        const use = ({ tool, input }: Call) => toolUse(`call_${(count += 1)}`, tool, input);
        await place.serve([
            reply(use(run("npm run build"))),
            reply(text("Built.")),
            ...SESSION.map((calls) => reply(...calls.map(use))),
            reply(text("Done.")),
        ]);
        editor = await Editor.start(place, { args });
        const { sessionId } = await editor.newSession(place.repository);
        // What a build leaves asks once, for good.
        editor.answer = () => "always";
        await editor.prompt(sessionId, "Build it");
        const before = editor.questions.length;
        editor.answer = () => "yes";
        await editor.prompt(sessionId, "Change the modules");
        expect(count, "calls").to.equal(60);
        const failed = editor.calls(sessionId).filter(({ status }) => status !== "completed");
        expect(failed.map(({ title }) => title)).to.deep.equal([]);
        expect(before).to.equal(args.length === 0 ? 1 : 0);
        return editor.questions.slice(before).map(({ toolCall }) => String(toolCall.title));
    }

    it("With a review of each edit: the 14 edits and the commit, nothing about tests or builds", async () => {
        expect(await questionsOf([])).to.deep.equal([
            ...EDITED.map((number) => `Edit src/m${number}.ts (+1 -1)`),
            COMMITTED,
        ]);
    });

    it("With automatic edits: the commit alone", async () => {
        expect(await questionsOf(["--accept-edits"])).to.deep.equal([COMMITTED]);
    });
});
