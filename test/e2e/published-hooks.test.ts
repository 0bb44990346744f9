import * as fs from "node:fs";
import path from "node:path";
import { expect } from "chai";
import { ClaudeWorkplace } from "../helpers/claude-workplace.js";
import { McpWorkplace } from "../helpers/mcp-workplace.js";
import { reply, text, toolUse } from "../helpers/vendors/messages-server.js";

// Each of these files is a hook as people publish it for Claude Code, and knows nothing of North.
const HOOKS = path.resolve("test/fixtures/hooks");

const FILES = {
    "a.txt": "alpha\n",
    ".env": "PORT=1\n",
    "package-lock.json": "{}\n",
    ".claude/hookify.eval.local.md":
        "---\nname: no-eval\nevent: file\npattern: eval\naction: block\n---\nDo not use eval.\n",
    ".claude/hookify.curl.local.md":
        "---\nname: slow\nevent: bash\npattern: sleep\naction: warn\n---\nThis takes long.\n",
};

describe("Hooks published for Claude Code, as they are", () => {
    let place: ClaudeWorkplace;

    beforeEach(() => {
        place = new ClaudeWorkplace(FILES);
    });
    afterEach(() => place.remove());

    /** Installs a hook in the user's settings. */
    function install(event: string, file: string, more: object = {}, matcher = ""): void {
        const hook = { type: "command", command: path.join(HOOKS, file), ...more };
        place.configure({ hooks: { [event]: [{ matcher, hooks: [hook] }] } });
    }

    const exists = (file: string) => fs.existsSync(place.place(file));

    /** Makes one call without a model; nothing asks. */
    async function call(tool: string, input: object) {
        const prompt = `call ${tool} ${JSON.stringify(input)}`;
        return place.run([
            ...["-p", "--model", "offline", "--accept-edits", "--approve-shell"],
            prompt,
        ]);
    }
    const shell = (command: string) => call("shell_run", { command });
    const create = (file: string, content: string) =>
        call("edit_create_file", { path: file, content });

    it("A command validator refuses the commands that it replaces", async () => {
        install("PreToolUse", "validate-bash.py", {}, "Bash");
        const refused = await shell("grep alpha a.txt > found.txt");
        expect(refused.stdout).to.contain("• Use 'rg' (ripgrep) instead of 'grep'");
        expect(exists("found.txt")).to.equal(false);
        expect((await shell("cat a.txt")).stdout).to.contain("alpha");
    });

    it("A guard for files refuses an edit of a protected file and lets others pass", async () => {
        install("PreToolUse", "protect-files.sh", {}, "Edit|Write");
        const edit = { path: "./package-lock.json", old: "{}", new: "{1}" };
        expect((await call("edit_replace_exact", edit)).stdout).to.contain(
            "Blocked: package-lock.json matches protected pattern 'package-lock.json'"
        );
        expect(place.files()["package-lock.json"]).to.equal("{}\n");
        await create("b.txt", "b\n");
        expect(place.files()["b.txt"]).to.equal("b\n");
    });

    it("A guard for all tools refuses rm -rf and .env files, and logs the rest", async () => {
        install("PreToolUse", "pre_tool_use.py");
        expect((await shell("rm -fr a.txt")).stdout).to.contain(
            "BLOCKED: Dangerous rm command detected and prevented"
        );
        expect((await call("read_file", { path: ".env" })).stdout).to.contain(
            "BLOCKED: Access to .env files containing sensitive data is prohibited"
        );
        await call("read_file", { path: "a.txt" });
        const log = fs.readFileSync(path.join(place.home, "pre_tool_use.json"), "utf8");
        const [event, ...more] = JSON.parse(log);
        expect(more).to.deep.equal([]);
        expect(event).to.deep.include({
            hook_event_name: "PreToolUse",
            tool_name: "Read",
            cwd: place.repository,
            permission_mode: "default",
        });
        expect(event.tool_input.file_path).to.equal(place.place("a.txt"));
    });

    it("A guard for prompts refuses one with a secret, and adds context to others", async () => {
        install("UserPromptSubmit", "prompt-secrets.py");
        await place.serve([reply(text("Done."))]);
        const refused = await place.run(["-p", "Log in with password: hunter2"]);
        expect(refused.stderr).to.contain(
            "Security policy violation: Prompt contains potential secrets. Please rephrase."
        );
        expect(refused.code).to.equal(1);
        await place.run(["-p", "Hello"]);
        const sent = JSON.stringify(place.server.requests.map(({ body }) => body.messages));
        expect(sent).to.contain("Current sprint: payments.").and.not.contain("hunter2");
    });

    it("A plugin of rules refuses with its message, warns with another, and says nothing else", async () => {
        const root = path.join(HOOKS, "hookify");
        const command = `CLAUDE_PLUGIN_ROOT='${root}' python3 -B '${root}/hooks/pretooluse.py'`;
        install("PreToolUse", "", { command, timeout: 10 });
        const refused = await create("b.js", "eval(x)\n");
        expect(refused.stderr).to.contain("**[no-eval]**\nDo not use eval.");
        expect(exists("b.js")).to.equal(false);
        const warned = await shell("sleep 0; echo ran > c.txt");
        expect(warned.stderr).to.contain("**[slow]**\nThis takes long.");
        expect(exists("c.txt")).to.equal(true);
        expect((await shell("echo fine")).stderr).to.equal("");
    });

    it("A loop at the end of a turn continues until the last answer in the transcript keeps its promise", async () => {
        install("Stop", "ralph-stop.sh");
        place.write(".claude/ralph-loop.local.md", "Build it.");
        await place.serve([
            reply(toolUse("call_1", "read_file", { path: "a.txt" })),
            reply(text("Half of it.")),
            reply(text("All. <promise>DONE</promise>")),
        ]);
        const end = await place.run(["-p", "Build it"]);
        expect(end.stdout).to.equal("All. <promise>DONE</promise>\n");
        expect(end.stderr).to.contain("Ralph iteration").and.not.contain("⚠️");
        expect(JSON.stringify(place.server.requests.at(-1)?.body.messages)).to.contain("Build it.");
        expect(exists(".claude/ralph-loop.local.md")).to.equal(false);
        expect(fs.readdirSync(place.temporary).filter((name) => /hook/.test(name))).to.deep.equal(
            []
        );
    });

    it("A reminder refuses a dangerous edit once in a conversation", async () => {
        install("PreToolUse", "security_reminder.py", {}, "Edit|Write|MultiEdit");
        const input = { path: "b.js", content: "eval(x)\n" };
        await place.serve([
            reply(toolUse("call_1", "edit_create_file", input)),
            reply(toolUse("call_2", "edit_create_file", input)),
            reply(text("Done.")),
        ]);
        await place.run(["-p", "Write it", "--accept-edits"]);
        const [, second, third] = place.server.requests.map(({ body }) => JSON.stringify(body));
        expect(second).to.contain("Security Warning: eval() executes arbitrary code");
        expect(third?.split("Security Warning")).to.have.length(2);
        expect(place.files()["b.js"]).to.equal("eval(x)\n");
    });

    it("A hook with arguments and a rule asks before a push, and runs for nothing else", async () => {
        const args = [path.join(HOOKS, "confirm-push.js"), "${CLAUDE_PROJECT_DIR}"];
        const rule = { command: "node", args, if: "Bash(git push *)" };
        install("PreToolUse", "", rule, "Bash");
        for (const command of [
            "git push origin main",
            "true && sudo git push",
            "bash -c 'git push x'",
        ]) {
            const { stdout, stderr } = await shell(command);
            expect(stdout, command).to.contain("print mode cannot ask");
            const asked = `${place.repository} publishes: ${command}.`;
            expect(stderr.split(asked)).to.have.length(2);
            expect(stderr).to.contain(`${asked} Use the chat.`);
        }
        expect((await shell("git status && echo 'git push x'")).stdout).to.contain("git push x");
    });

    it("A linter after each edit tells the model what to fix", async () => {
        install("PostToolUse", "lint-after-edit.sh", {}, "Edit|Write");
        const write = (id: string, content: string) =>
            toolUse(id, "edit_create_file", { path: "b.txt", content, overwrite: true });
        await place.serve([
            reply(write("call_1", "b \n")),
            reply(write("call_2", "b\n")),
            reply(text("Done.")),
        ]);
        await place.run(["-p", "Write it", "--accept-edits"]);
        const [, second, third] = place.server.requests.map(({ body }) => JSON.stringify(body));
        expect(second).to.contain("Trailing whitespace in b.txt. Remove it.");
        expect(third?.split("Trailing whitespace")).to.have.length(2);
    });

    it("A hook that logs commands gets each command and shows nothing", async () => {
        install("PreToolUse", "log-commands.sh", {}, "Bash");
        expect((await shell("echo one")).stderr).to.equal("");
        await call("read_file", { path: "a.txt" });
        const log = path.join(place.home, ".claude/bash-command-log.txt");
        expect(fs.readFileSync(log, "utf8")).to.equal("echo one - No description\n");
    });

    it("A guard at the end of a turn sends the model back once while the tests fail", async () => {
        install("Stop", "tests-before-stop.py");
        place.write("tests-fail", "");
        await place.serve([reply(text("Done.")), reply(text("I cannot."))]);
        const end = await place.run(["-p", "Build it"]);
        expect(end.stdout).to.equal("I cannot.\n");
        expect(JSON.stringify(place.server.requests.at(-1)?.body.messages)).to.contain(
            "You said 'Done.', but the tests fail. Fix them."
        );
        place.server.assertDone();
    });

    it("A kill switch stops the turn before the call and the ones beside it, and says why", async () => {
        install("PreToolUse", "kill-switch.sh");
        place.write("AGENT_STOP", "");
        await place.serve([
            reply(
                toolUse("call_1", "shell_run", { command: "touch one" }),
                toolUse("call_2", "shell_run", { command: "touch two" })
            ),
        ]);
        const end = await place.run(["-p", "Go on", "--approve-shell"]);
        expect(end.code).to.equal(1);
        expect(end.stderr).to.match(/The turn was stopped\. .*The kill switch AGENT_STOP is set\./);
        expect([exists("one"), exists("two")]).to.deep.equal([false, false]);
        place.server.assertDone();
    });

    it("A guard for servers refuses their tools by the names that it knows", async () => {
        await place.remove();
        const withServers = new McpWorkplace();
        place = withServers;
        install("PreToolUse", "reviewed-servers.py", {}, "mcp__.*__write.*");
        const fixture = path.resolve("test/fixtures/mcp/server.js");
        const mark = path.join(place.folder, "mark");
        withServers.own({ own: { command: process.execPath, args: [fixture, mark] } });
        await place.run(["mcp", "allow", "own", "--read-only", "--yes"]);
        const refused = await call("own__write", {});
        expect(refused.stdout).to.contain("write of own writes; only reading is reviewed.");
        expect((await call("own__say", { text: "hello" })).stdout).to.contain("said hello");
    });
});
