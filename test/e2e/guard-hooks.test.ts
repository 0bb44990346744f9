import { expect } from "chai";
import * as fs from "node:fs";
import path from "node:path";
import { Workplace } from "../helpers/north-program.js";

// What published guards for Claude Code look at, written anew.

/** Wants another program than `grep` in `Bash` commands; looks at nothing else. */
const COMMAND_VALIDATOR = `
const event = JSON.parse(require("fs").readFileSync(0, "utf8"));
if (event.tool_name !== "Bash") process.exit(0);
if (/^grep\\b/.test(event.tool_input.command)) {
    console.error("Use rg instead of grep.");
    process.exit(2);
}
`;
/** Refuses \`rm -rf\`, and any tool of files on a secret one. */
const DANGER = `
const { tool_name: tool, tool_input: input } = JSON.parse(require("fs").readFileSync(0, "utf8"));
const refuse = (why) => {
    console.error("BLOCKED: " + why);
    process.exit(2);
};
if (tool === "Bash" && /rm\\s+-[a-z]*r[a-z]*f/.test(input.command)) refuse("rm -rf");
const isFile = ["Read", "Edit", "MultiEdit", "Write"].includes(tool);
if (isFile && input.file_path.endsWith("secret.txt")) refuse("a secret");
if (tool === "Edit" && input.new_string.includes("eval(")) refuse("eval");
`;
/** Refuses edits of listed files, by JSON; and asks about everything that is pushed. */
const PROTECTED = `
const fs = require("fs");
const { tool_input: input } = JSON.parse(fs.readFileSync(0, "utf8"));
const say = (permissionDecision, permissionDecisionReason) => {
    const hookEventName = "PreToolUse";
    const hookSpecificOutput = { hookEventName, permissionDecision, permissionDecisionReason };
    console.log(JSON.stringify({ hookSpecificOutput, systemMessage: "The guard spoke." }));
};
if (input.file_path === process.env.CLAUDE_PROJECT_DIR + "/package-lock.json") {
    say("deny", "Protected file.");
} else if (/push/.test(input.command)) say("ask", "It publishes.");
`;

const OFFLINE = ["-p", "--model", "offline"];
const call = (tool: string, input: object) => `call ${tool} ${JSON.stringify(input)}`;

describe("guards written for Claude Code", () => {
    let place: Workplace;
    beforeEach(() => {
        place = new Workplace({
            "a.txt": "alpha\n",
            "secret.txt": "hunter2\n",
            "package-lock.json": "{}\n",
        }).reusingProcess();
    });
    afterEach(() => place.remove());

    /** Installs a guard in the user's settings, outside of the repository. */
    function guard(script: string, matcher: string, more: object = {}): void {
        const file = path.join(place.home, "guard.js");
        fs.writeFileSync(file, script);
        const hook = { type: "command", command: "node", args: [file], ...more };
        place.configure({ hooks: { PreToolUse: [{ matcher, hooks: [hook] }] } });
    }
    const run = (prompt: string) =>
        place.run(["--accept-edits", "--approve-shell", ...OFFLINE, prompt]);
    const content = (file: string) => fs.readFileSync(path.join(place.repository, file), "utf8");

    it("A guard that validates commands refuses the invalid ones, and only those", async () => {
        guard(COMMAND_VALIDATOR, "Bash");
        const grep = await run(call("shell_run", { command: "grep alpha a.txt > found.txt" }));
        expect(grep.stdout).to.contain("Use rg instead of grep.");
        expect(fs.existsSync(path.join(place.repository, "found.txt"))).to.equal(false);
        expect((await run(call("shell_run", { command: "cat a.txt" }))).stdout).to.contain("alpha");
    });

    it("A guard against dangerous calls refuses commands, reads and edits by their documented fields", async () => {
        guard(DANGER, "");
        for (const [tool, input, why] of [
            ["shell_run", { command: "rm -rf a.txt" }, "rm -rf"],
            ["read_file", { path: "secret.txt" }, "a secret"],
            ["read_around", { path: "./secret.txt", anchor: "hunter" }, "a secret"],
            ["edit_create_file", { path: "secret.txt", content: "", overwrite: true }, "a secret"],
            ["edit_replace_exact", { path: "a.txt", old: "alpha", new: "eval(x)" }, "eval"],
        ] as const) {
            const { stdout } = await run(call(tool, input));
            expect(stdout, tool).to.contain(`BLOCKED: ${why}`).and.not.contain("hunter2");
        }
        expect(content("a.txt")).to.equal("alpha\n");
    });

    it("A guard for protected files refuses every spelling and a batch, and its message is shown", async () => {
        guard(PROTECTED, "Edit|Write");
        const edit = (file: string) => ({ path: file, old: "{}", new: "{1}" });
        for (const prompt of [
            call("edit_replace_exact", edit("package-lock.json")),
            call("edit_replace_exact", edit("./x/../package-lock.json")),
            call("edit_apply_batch", {
                edits: [
                    { toolName: "edit_create_file", args: { path: "b.txt", content: "" } },
                    { toolName: "edit_replace_exact", args: edit("package-lock.json") },
                ],
            }),
        ]) {
            const { stdout, stderr } = await run(prompt);
            expect(stdout, prompt).to.contain("Protected file.");
            expect(stderr).to.contain("The guard spoke.");
        }
        expect(content("package-lock.json")).to.equal("{}\n");
        expect(fs.existsSync(path.join(place.repository, "b.txt"))).to.equal(false);
    });

    it("A guard that asks the user refuses where nobody can be asked, even if approval is automatic", async () => {
        guard(PROTECTED, "Bash");
        await place.run(["allowlist", "add", "echo push > pushed.txt"]);
        const { stdout } = await run(call("shell_run", { command: "echo push > pushed.txt" }));
        expect(stdout).to.contain("print mode cannot ask");
        expect(fs.existsSync(path.join(place.repository, "pushed.txt"))).to.equal(false);
    });

    it("A hook with arguments runs the model's text in no shell", async () => {
        const args = [path.join(place.home, "guard.js")];
        guard("", "Bash", { command: "bash", args });
        fs.writeFileSync(args[0] ?? "", "cat > /dev/null\n");
        const command = "echo $(touch ran-for-real)";
        await place.run([...OFFLINE, call("shell_run", { command })]);
        expect(Object.keys(place.files())).not.to.include("ran-for-real");
    });

    it("Definitions with a mistake are named at each start and by the doctor", async () => {
        place.configure({
            hooks: {
                PretoolUse: [{ hooks: [{ type: "command", command: "exit 2" }] }],
                PreToolUse: [{ hooks: [{ type: "command", command: "exit 2", timeout: "10" }] }],
            },
        });
        const { stderr } = await place.run([...OFFLINE, "read a.txt"]);
        expect(stderr)
            .to.contain("A hook in config.json does not run. PretoolUse: North has no such event")
            .and.match(/does not run\. PreToolUse\[0\]\.hooks\[0\]: .*timeout/);
        const doctor = await place.run(["doctor"]);
        expect(doctor.stdout)
            .to.match(/✘ hooks +PretoolUse/)
            .and.match(/✘ hooks +PreToolUse\[0\]/);
        expect(doctor.code).to.equal(1);
    });

    it("A guard that the repository can change is suspended, and the user is asked in its place", async () => {
        place.write("guard.sh", "exit 0\n");
        const hook = { type: "command", command: "sh guard.sh" };
        place.write(
            ".north/hooks.json",
            JSON.stringify({ hooks: { PreToolUse: [{ matcher: "Bash", hooks: [hook] }] } })
        );
        const list = await place.run(["trust", "--json"]);
        const [item] = JSON.parse(list.stdout);
        expect(item.text).to.contain("with guard.sh as now");
        await place.run(["trust", "allow", item.id]);
        const command = call("shell_run", { command: "cat a.txt" });
        expect((await run(command)).stdout).to.contain("alpha");

        const input = { path: "guard.sh", content: "touch evil\n", overwrite: true };
        const edit = await run(call("edit_create_file", input));
        expect(edit.stderr).to.contain("Denied: guard.sh");
        expect(content("guard.sh")).to.equal("exit 0\n");

        place.write("guard.sh", "touch evil\n");
        const after = await run(command);
        expect(after.stdout).not.to.contain("alpha");
        expect(Object.keys(place.files())).not.to.include("evil");
    });
});
