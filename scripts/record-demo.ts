// `npm run pictures`: records the documentation's pictures from the real program, a session with a
// scripted model, filmed in a terminal emulator.
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { projectFolder } from "../src/storage/files/directories.js";
import {
    reply,
    startMessagesServer,
    text,
    toolUse,
    type Reply,
} from "../test/helpers/vendors/messages-server.js";
import { pause, TerminalFilm } from "./terminal-film.js";

const SOURCE = `export async function withRetry(work, attempts = 3) {
    for (let attempt = 1; attempt < attempts; attempt += 1) {
        try {
            return await work();
        } catch (error) {
            if (attempt === attempts) throw error;
        }
    }
}
`;
const TEST = `import assert from "node:assert";
import { test } from "node:test";
import { withRetry } from "../src/retry.js";

test("tries three times", async () => {
    let calls = 0;
    await withRetry(async () => {
        calls += 1;
        if (calls < 3) throw new Error("busy");
    });
    assert.equal(calls, 3);
});
`;
const CHANGES = "# Changes\n\n- Fetch with retries\n";
const DELAY = `import { setTimeout } from "node:timers/promises";

export const backOff = (attempt) => setTimeout(50 * 2 ** (attempt - 1));
`;
const RUN_TESTS = "npm test --silent";
const COMMIT = 'git commit --all --quiet --message "Make the last attempt too"';
const EDIT = {
    path: "src/retry.js",
    old: "attempt < attempts;",
    new: "attempt <= attempts;",
};
const DRAFTED = [
    replaces(EDIT.path, "export async", 'import { backOff } from "./delay.js";\n\nexport async'),
    replaces(EDIT.path, "throw error;\n", "throw error;\n            await backOff(attempt);\n"),
    replaces("CHANGES.md", "retries\n", "retries\n- Wait between attempts\n"),
];
const SCRIPT: readonly Reply[] = [
    reply(
        text("I'll read the test and the code it tests."),
        toolUse("call_1", "read_file", { path: "test/retry.test.js" }),
        toolUse("call_2", "read_file", { path: "src/retry.js" })
    ),
    reply(
        text("The loop ends one attempt early, so the third call never comes."),
        toolUse("call_3", "edit_replace_exact", EDIT)
    ),
    reply(toolUse("call_4", "shell_run", { command: RUN_TESTS })),
    reply(toolUse("call_5", "shell_run", { command: COMMIT })),
    reply(
        text(
            "Fixed. \`withRetry\` stopped **before** its last attempt:\n\n" +
                "- \`attempt < attempts\` ran the work twice and swallowed the last error\n" +
                "- with \`<=\` the third failure is thrown, as the caller expects\n\n" +
                "The test passes now, and the fix is committed."
        )
    ),
    reply(
        text("I'll add a delay that doubles with each attempt."),
        toolUse("call_6", "edit_create_file", { path: "src/delay.js", content: DELAY }),
        toolUse("call_7", "edit_apply_batch", { edits: DRAFTED })
    ),
    reply(toolUse("call_8", "shell_run", { command: RUN_TESTS })),
    reply(text("\`withRetry\` now waits 50 ms, then 100 ms, and so on. Its test still passes.")),
    reply(toolUse("call_9", "shell_run", { command: "git push origin main" })),
];
const THINKING_MS = 900;
const IDLE = /❯\s*$/;

const root = path.dirname(import.meta.dirname);
const folder = mkdtempSync(path.join(tmpdir(), "north-demo-"));
const replies = [...SCRIPT];
const server = await startMessagesServer({
    simulateCache: true,
    script: () => {
        const next = replies.shift();
        return next && { ...next, gate: pause(THINKING_MS) };
    },
});
const film = new TerminalFilm({
    args: [path.join(root, "bin", "run.js")],
    cwd: makeProject(path.join(folder, "fetcher")),
    env: {
        PATH: process.env.PATH ?? "",
        HOME: folder,
        LANG: "C.UTF-8",
        ANTHROPIC_API_KEY: "not-a-key",
        ANTHROPIC_BASE_URL: server.url,
    },
    columns: 92,
    rows: 28,
});
try {
    await play();
    save(
        "demo.svg",
        film.animation(
            "A session with North: a question, an edit reviewed, tests run contained, a commit approved, a draft reviewed once, the costs"
        )
    );
    await push();
    server.assertDone();
} finally {
    film.close();
    await server.close();
    rmSync(folder, { recursive: true, force: true });
}

async function play(): Promise<void> {
    await film.waitFor(IDLE);
    await pause(600);
    await film.type("Why does @retr");
    await film.waitFor(/› @?src\/retry\.js|retry\.test/);
    await pause(900);
    save("completion.svg", film.still("Files found for what follows an at sign"));
    film.press("\t");
    await pause(500);
    await film.type(" fail its test?");
    await pause(500);
    film.press("\r");
    await film.waitFor(/y yes/);
    await pause(1_500);
    save("review-edit.svg", film.still("The review of an edit"));
    film.press("y");
    await film.waitFor(/git commit[^]*y yes/);
    await pause(2_000);
    film.press("y");
    await film.waitFor(/The test passes now/);
    await film.waitFor(IDLE);
    await pause(1_600);
    await film.type("/mode draft\r");
    await film.waitFor(/Mode: draft[^]*❯\s*$/);
    await film.type("Wait between the attempts, longer each time");
    await pause(500);
    film.press("\r");
    await film.waitFor(/Apply this draft[^]*y apply/);
    await pause(2_500);
    save("review-draft.svg", film.still("The review of a draft"));
    film.press("y");
    await film.waitFor(/Draft applied/);
    await film.waitFor(IDLE);
    await pause(1_600);
    await film.type("/costs");
    await pause(300);
    film.press("\r");
    await film.waitFor(/All time/);
    await film.waitFor(IDLE);
    await pause(500);
    save("costs.svg", film.still("What the conversation has cost"));
}

/** Comes after the film: one more picture of the same session. */
async function push(): Promise<void> {
    film.press("/mode agent\r");
    await film.waitFor(/Mode: agent[^]*❯\s*$/);
    film.press("\f");
    film.press("Push it\r");
    await film.waitFor(/git push[^]*y yes/);
    save("review-command.svg", film.still("The review of a command"));
}

function replaces(file: string, old: string, fresh: string) {
    return { toolName: "edit_replace_exact", args: { path: file, old, new: fresh } };
}

function makeProject(project: string): string {
    mkdirSync(path.join(project, "src"), { recursive: true });
    mkdirSync(path.join(project, "test"));
    const scripts = { test: "node --test --test-reporter=spec" };
    const manifest = { name: "fetcher", type: "module", scripts };
    writeFileSync(path.join(project, "package.json"), JSON.stringify(manifest));
    writeFileSync(path.join(project, "CHANGES.md"), CHANGES);
    writeFileSync(path.join(project, "src", "retry.js"), SOURCE);
    writeFileSync(path.join(project, "test", "retry.test.js"), TEST);
    const git = (...args: string[]) => execFileSync("git", args, { cwd: project });
    git("init", "--quiet", "--initial-branch", "main");
    git("config", "user.name", "Ada");
    git("config", "user.email", "ada@example.org");
    git("add", ".");
    git("commit", "--quiet", "--message", "Fetch with retries");
    // Pretend that the user declined to have the project learned.
    const known = projectFolder(path.join(folder, ".north"), project);
    mkdirSync(known, { recursive: true });
    writeFileSync(path.join(known, "declined.json"), "{}");
    return project;
}

function save(name: string, picture: string): void {
    writeFileSync(path.join(root, "docs", "images", name), picture);
}
