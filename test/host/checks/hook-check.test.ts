import { chmodSync, existsSync } from "node:fs";
import path from "node:path";
import { expect } from "chai";
import { hookCheck } from "../../../src/host/checks/hook-check.js";
import { hooksIn } from "../../../src/storage/hook-settings.js";
import type { CheckContext, CheckedCall, Workspace } from "../../../src/plugin/index.js";
import { makeFolder } from "../../workspace/make-folder.js";

const CALL: CheckedCall = {
    callId: "c1",
    tool: "shell_run",
    approval: "shell",
    input: { command: "ls" },
};
const EDIT: CheckedCall = {
    ...CALL,
    tool: "edit_replace_exact",
    approval: "write",
    input: { path: "a" },
};

/** A hook that runs a script, and the context that it is asked in. */
function hook(
    event: string,
    script: string,
    { matcher = "", signal = new AbortController().signal } = {}
) {
    const root = makeFolder({ "hook.sh": `#!/bin/sh\n${script}\n` });
    chmodSync(path.join(root, "hook.sh"), 0o755);
    const command = "$CLAUDE_PROJECT_DIR/hook.sh";
    const [setting] = hooksIn({ [event]: [{ matcher, hooks: [{ type: "command", command }] }] });
    if (!setting) throw new Error("There is no hook.");
    const context: CheckContext = {
        workspace: {} as Workspace,
        conversationId: "abc123",
        mode: "agent",
        signal,
    };
    return { root, context, check: hookCheck(setting, root) };
}

async function before(script: string, call = CALL, matcher = "") {
    const { check, context } = hook("PreToolUse", script, { matcher });
    return check.beforeCall?.(call, context);
}

const json = (value: object) => `cat > /dev/null; echo '${JSON.stringify(value)}'`;
const decided = (permissionDecision: string) =>
    json({ hookSpecificOutput: { permissionDecision, permissionDecisionReason: "because" } });

describe("Hooks of the settings", () => {
    it("Exit 2 and deny refuse a call with their text", async () => {
        expect(await before("echo no >&2; exit 2")).to.deep.equal({ deny: "no" });
        expect(await before("exit 2")).to.deep.equal({ deny: "It gave no reason." });
        expect(await before(decided("deny"))).to.deep.equal({ deny: "because" });
        expect(await before(json({ decision: "block", reason: "old" }))).to.deep.equal({
            deny: "old",
        });
        expect(await before(json({ continue: false, stopReason: "stop" }))).to.deep.equal({
            deny: "stop",
        });
    });

    it("Allowing is no opinion, and neither is anything else that does not refuse", async () => {
        for (const script of [
            decided("allow"),
            decided("ask"),
            json({ decision: "approve" }),
            "exit 0",
            "echo garbage",
        ]) {
            expect(await before(script), script).to.deep.equal({});
        }
    });

    it("Another exit code and broken JSON are failures of the hook, not refusals", async () => {
        for (const script of ["echo oh >&2; exit 1", 'echo \'{"decision": "block"\'']) {
            const error = await before(script).catch((reason: unknown) => reason);
            expect(error, script).to.be.instanceOf(Error);
        }
    });

    it("A hook reads the event on its stdin, with the names that scripts look for", async () => {
        const found = await before(
            `node -e 'const e = JSON.parse(require("fs").readFileSync(0)); process.stderr.write([e.session_id, e.hook_event_name, e.tool_name, e.tool_input.file_path].join()); process.exit(2)'`,
            EDIT
        );
        expect(found).to.deep.equal({ deny: "abc123,PreToolUse,edit_replace_exact,a" });
    });

    it("A matcher is meant for North's names and for Claude Code's", async () => {
        const isMeant = async (matcher: string, call: CheckedCall) =>
            (await before("exit 2", call, matcher)) !== undefined;
        for (const matcher of ["Bash", "shell_run", "Read|Bash", "shell_.*", "*", ""]) {
            expect(await isMeant(matcher, CALL), matcher).to.equal(true);
        }
        for (const matcher of ["Edit", "Edit|Write", "edit_.*"]) {
            expect(await isMeant(matcher, EDIT), matcher).to.equal(true);
            expect(await isMeant(matcher, CALL), matcher).to.equal(false);
        }
        expect(await isMeant("(a+)+b", CALL)).to.equal(false);
    });

    it("A flood is read to its end and kept only in part", async () => {
        const said = await before("yes | head -c 20000000 >&2; exit 2");
        expect(said?.deny?.length).to.be.within(1_000, 262_144);
    });

    it("A hook that hangs ends with its children when its time is up", async () => {
        const limit = new AbortController();
        const { check, context, root } = hook(
            "PreToolUse",
            "(sleep 30; touch late) & touch started; wait",
            {
                signal: limit.signal,
            }
        );
        const running = Promise.resolve(check.beforeCall?.(CALL, context)).catch(
            (reason: unknown) => reason
        );
        while (!existsSync(path.join(root, "started"))) {
            await new Promise((done) => setTimeout(done, 5));
        }
        limit.abort(new Error("Time limit reached."));
        expect(String(await running)).to.contain("Time limit");
    });

    it("A hook that ends is not waited for by what it leaves behind", async () => {
        expect(await before("sleep 30 & exit 0")).to.deep.equal({});
    });

    it("UserPromptSubmit adds its output to a message or refuses it", async () => {
        const submit = (script: string) => {
            const { check, context } = hook("UserPromptSubmit", script);
            return check.beforeMessage?.("hello", context);
        };
        expect(await submit("echo The build is red.")).to.deep.equal({ note: "The build is red." });
        expect(await submit("echo never >&2; exit 2")).to.deep.equal({ deny: "never" });
    });

    it("PostToolUse tells the model, and refuses nothing that has happened", async () => {
        const { check, context } = hook("PostToolUse", "echo format it >&2; exit 2");
        const after = { ...CALL, result: { ok: true, data: {} } as const };
        expect(await check.afterCall?.(after, context)).to.deep.equal({ note: "format it" });
    });

    it("Stop lets the model go on, and is told the second time", async () => {
        const { check, context } = hook(
            "Stop",
            "grep -q '\"stop_hook_active\":true' && exit 0; echo test it >&2; exit 2"
        );
        expect(await check.afterTurn?.("Done.", context)).to.deep.equal({
            continueWith: "test it",
        });
        expect(await check.afterTurn?.("Done.", context)).to.equal(undefined);
    });

    it("Settings that make no sense are no hooks", () => {
        const hooks = {
            PreToolUse: [{ hooks: [{ type: "command" }, null] }, 7],
            Other: [],
            Stop: "x",
        };
        for (const setting of [undefined, null, "x", [], hooks]) {
            expect(hooksIn(setting)).to.deep.equal([]);
        }
    });
});
