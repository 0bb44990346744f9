import {
    chmodSync,
    existsSync,
    mkdirSync,
    readdirSync,
    readFileSync,
    symlinkSync,
    writeFileSync,
} from "node:fs";
import path from "node:path";
import { expect } from "chai";
import { hookCheck } from "../../../src/host/checks/hook-check.js";
import { readHooks } from "../../../src/storage/hook-settings.js";
import { openWorkspace } from "../../../src/workspace/open-workspace.js";
import type { CheckContext, CheckedCall, WatchedEvent } from "../../../src/plugin/index.js";
import { makeFolder } from "../../workspace/make-folder.js";

const CALL: CheckedCall = {
    callId: "c1",
    tool: "shell_run",
    approval: "shell",
    input: { command: "ls" },
    equivalents: [{ tool: "Bash", input: { command: "ls" } }],
};
const EDIT: CheckedCall = {
    ...CALL,
    tool: "edit_replace_exact",
    approval: "write",
    input: { path: "a", old: "x", new: "y" },
    equivalents: [{ tool: "Edit", input: { file_path: "a", old_string: "x", new_string: "y" } }],
};

interface HookOptions {
    readonly matcher?: string;
    readonly signal?: AbortSignal;
    readonly args?: readonly string[];
    readonly onFailure?: string;
    readonly timeout?: number;
    /** Permission bits of the script. */
    readonly mode?: number;
}

/** A hook that runs a script, and the context that it is asked in. */
function hook(
    event: string,
    script: string,
    { matcher = "", signal = new AbortController().signal, mode = 0o755, ...more }: HookOptions = {}
) {
    const root = makeFolder({ "hook.sh": `#!/bin/sh\n${script}\n` });
    chmodSync(path.join(root, "hook.sh"), mode);
    const command = "$CLAUDE_PROJECT_DIR/hook.sh";
    const { hooks } = readHooks({
        [event]: [{ matcher, hooks: [{ type: "command", command, ...more }] }],
    });
    const [setting] = hooks;
    if (!setting) throw new Error("There is no hook.");
    const context: CheckContext = {
        workspace: openWorkspace({ root }),
        conversationId: "abc123",
        mode: "agent",
        signal,
    };
    return { root, context, check: hookCheck(setting, root) };
}

async function before(script: string, call = CALL, options: HookOptions = {}) {
    const { check, context } = hook("PreToolUse", script, options);
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
            stop: "stop",
        });
    });

    it("Allowing is no opinion, and neither is anything else that does not refuse", async () => {
        for (const script of [
            decided("allow"),
            json({ decision: "approve" }),
            json({ decision: null }),
            decided("defer"),
            "exit 0",
            "echo garbage",
        ]) {
            expect(await before(script), script).to.deep.equal({});
        }
    });

    it("A hook that asks neither allows nor refuses", async () => {
        expect(await before(decided("ask"))).to.deep.equal({ ask: "because" });
    });

    it("JSON decides whatever the exit code, and exit 2 refuses with its reason", async () => {
        expect(await before(`${decided("deny")}; exit 1`)).to.deep.equal({ deny: "because" });
        expect(await before(`${decided("ask")}; exit 1`)).to.deep.equal({ ask: "because" });
        expect(await before(`${decided("allow")}; exit 2`)).to.deep.equal({ deny: "because" });
        expect(await before(`${json({ reason: "told" })}; exit 2`)).to.deep.equal({ deny: "told" });
        expect(await before(`${decided("Deny")}; exit 2`)).to.deep.equal({ deny: "because" });
    });

    it("A message for the user is shown, and is no opinion", async () => {
        expect(await before(json({ systemMessage: "Look!" }))).to.deep.equal({ notice: "Look!" });
    });

    it("A hook that blocks on failure refuses when it fails, hangs or is missing", async () => {
        const onFailure = "block";
        for (const [script, options] of [
            ["echo oh >&2; exit 1", { onFailure }],
            ['echo \'{"decision": "block"\'', { onFailure }],
            ["sleep 60", { onFailure, timeout: 0.1 }],
            ["", { onFailure, args: [] }],
        ] as const) {
            const said = await before(script, CALL, options);
            expect(said?.deny, script).to.contain("It failed, so the call is refused: ");
        }
    });

    it("A hook that crashes, hangs, is not executable or prints garbage is reported each time, or refuses", async () => {
        for (const [script, reason, options] of [
            ["echo oh >&2; exit 1", "it exited with 1: oh", {}],
            ["exit 1", "it exited with 1$", {}],
            ["kill -9 $$", "it (?:exited with 137|was ended by SIGKILL)", {}],
            [
                decided("Deny"),
                'its permissionDecision is "Deny", not allow, ask, deny or defer',
                {},
            ],
            [decided("block"), 'its permissionDecision is "block", not allow', {}],
            [json({ decision: "deny" }), 'its decision is "deny", not approve or block', {}],
            [json({ decision: true }), "its decision is true, not approve or block", {}],
            ['echo \'{"decision": "block"\'', "what it printed is not JSON", {}],
            ["sleep 60", "Time limit", { timeout: 0.1 }],
            ["", "it exited with 126: ", { mode: 0o644 }],
            ["", "spawn .*ENOENT", { args: [] }],
        ] as const) {
            const { check, context } = hook("PreToolUse", script, options);
            for (let time = 0; time < 2; time++) {
                const said = await check.beforeCall?.(CALL, context);
                expect(Object.keys(said ?? {}), script).to.deep.equal(["notice"]);
                expect(said?.notice).to.match(new RegExp(`^It failed and was ignored: ${reason}`));
            }
            const refused = await before(script, CALL, { ...options, onFailure: "block" });
            expect(Object.keys(refused ?? {}), script).to.deep.equal(["deny"]);
            expect(refused?.deny).to.match(
                new RegExp(`^It failed, so the call is refused: ${reason}`)
            );
        }
    });

    it("Each of six more events arrives in the published format, for the matchers that it concerns", async () => {
        const events: readonly (readonly [string, WatchedEvent, string, object])[] = [
            [
                "SessionStart",
                { type: "session-started", source: "resume" },
                "startup|resume",
                { source: "resume" },
            ],
            ["SessionEnd", { type: "session-ended" }, "", { reason: "other" }],
            [
                "PreCompact",
                { type: "before-summary", trigger: "auto" },
                "auto",
                { trigger: "auto", custom_instructions: "" },
            ],
            [
                "SubagentStop",
                { type: "nested-run-ended", answer: "Found." },
                "",
                { stop_hook_active: false, last_assistant_message: "Found." },
            ],
            [
                "Notification",
                { type: "waiting", message: "Wake up" },
                "permission_prompt",
                { message: "Wake up", notification_type: "permission_prompt" },
            ],
            [
                "PermissionRequest",
                { type: "permission-asked", tools: ["Bash"], input: { command: "ls" } },
                "Bash",
                { tool_name: "Bash", tool_input: { command: "ls" } },
            ],
        ];
        for (const [name, event, matcher, fields] of events) {
            const { check, context, root } = hook(name, 'cat > "$CLAUDE_PROJECT_DIR/event"', {
                matcher,
            });
            for (const [, other] of events) await check.onEvent?.(other, context);
            const told = JSON.parse(readFileSync(path.join(root, "event"), "utf8"));
            expect(told.hook_event_name).to.equal(name);
            expect(told.session_id).to.equal("abc123");
            expect(told).to.include.keys("cwd", "transcript_path", "permission_mode");
            for (const [field, value] of Object.entries(fields)) {
                expect(told[field], `${name} ${field}`).to.deep.equal(value);
            }
            const unmeant = hook(name, "exit 2", { matcher: "nothing-of-the-kind" });
            expect(await unmeant.check.onEvent?.(event, unmeant.context), name).to.equal(undefined);
        }
    });

    it("PermissionRequest may refuse in the user's place, and cannot approve", async () => {
        const asked = async (script: string) => {
            const { check, context } = hook("PermissionRequest", script);
            const input = { command: "ls" };
            return check.onEvent?.({ type: "permission-asked", tools: ["Bash"], input }, context);
        };
        const decision = (behavior: string) =>
            json({ hookSpecificOutput: { decision: { behavior, message: "not today" } } });
        expect(await asked(decision("deny"))).to.deep.equal({ deny: "not today" });
        expect(await asked(decision("allow"))).to.deep.equal({});
        expect(await asked(decision("no"))).to.have.property(
            "notice",
            'It failed and was ignored: its behavior is "no", not allow or deny'
        );
        expect(await asked("echo no >&2; exit 2")).to.deep.equal({ deny: "no" });
    });

    it("A hook reads the event on its stdin, with the names that scripts look for", async () => {
        const found = await before(
            `node -e 'const e = JSON.parse(require("fs").readFileSync(0)); process.stderr.write([e.session_id, e.hook_event_name, e.tool_name, e.tool_input.file_path].join()); process.exit(2)'`,
            EDIT
        );
        expect(found?.deny).to.match(/^abc123,PreToolUse,Edit,\/.*\/a$/);
    });

    it("With args a program runs without a shell, and the event is nobody's script", async () => {
        const text = "echo $(touch ran-for-real)";
        const call = { ...CALL, input: { command: text }, equivalents: [] };
        const script = 'printf "%s," "$@" >&2; exit 2';
        const args = ["${CLAUDE_PROJECT_DIR}/hook.sh", "$(touch ran)", "a b", "*"];
        const { root, context } = hook("PreToolUse", script);
        const check = hookCheck(
            { event: "PreToolUse", matcher: "", command: "sh", args, seconds: 10 },
            root
        );
        expect(await check.beforeCall?.(call, context)).to.deep.equal({
            deny: "$(touch ran),a b,*,",
        });
        expect(readdirSync(root)).to.deep.equal(["hook.sh"]);
    });

    it("No spelling of a path and no link passes a guard that compares paths", async () => {
        const { root, check, context } = hook(
            "PreToolUse",
            `grep -q "file_path...$CLAUDE_PROJECT_DIR/src/keys.json" && exit 2; exit 0`
        );
        mkdirSync(path.join(root, "src"));
        writeFileSync(path.join(root, "src/keys.json"), "{}");
        symlinkSync("src", path.join(root, "link"));
        symlinkSync("src/keys.json", path.join(root, "notes.txt"));
        const denies = async (file_path: string) => {
            const equivalents = [{ tool: "Edit", input: { file_path } }];
            const input = { path: file_path };
            return (await check.beforeCall?.({ ...EDIT, input, equivalents }, context))?.deny;
        };
        for (const spelling of [
            "src/keys.json",
            "./src/../src/keys.json",
            `${root}/src/keys.json`,
            "/src/keys.json",
            `${path.basename(root)}/src/keys.json`,
            "link/keys.json",
            "notes.txt",
        ]) {
            expect(await denies(spelling), spelling).to.equal("It gave no reason.");
        }
        expect(await denies("src/other.json")).to.equal(undefined);
    });

    it("A batch is one event for each edit, and one refusal is enough", async () => {
        const { check, context, root } = hook(
            "PreToolUse",
            "tee -a events | grep -q package-lock && exit 2; exit 0"
        );
        const equivalents = ["a.txt", "package-lock.json", "b.txt"].map((file_path) => ({
            tool: "Edit",
            input: { file_path, old_string: "x", new_string: "y" },
        }));
        const call = { ...EDIT, tool: "edit_apply_batch", input: { edits: [] }, equivalents };
        expect(await check.beforeCall?.(call, context)).to.have.property("deny");
        const events = readFileSync(path.join(root, "events"), "utf8").trim().split("\n");
        const seen = events.map((line) => JSON.parse(line).tool_input.file_path);
        expect(seen).to.deep.equal([`${root}/a.txt`, `${root}/package-lock.json`]);
    });

    it("A matcher matches North's names and Claude Code's", async () => {
        const isMeant = async (matcher: string, call: CheckedCall) =>
            (await before("exit 2", call, { matcher })) !== undefined;
        for (const matcher of ["Bash", "shell_run", "Read|Bash", "shell_.*", "*", ""]) {
            expect(await isMeant(matcher, CALL), matcher).to.equal(true);
        }
        for (const matcher of ["Read, Bash", "Read | Bash", "^Ba", "a.h$", "shell"]) {
            expect(await isMeant(matcher, CALL), matcher).to.equal(matcher !== "shell");
        }
        const server = {
            ...CALL,
            tool: "memory__create",
            approval: "ask" as const,
            equivalents: [{ tool: "mcp__memory__create", input: {} }],
        };
        for (const matcher of ["mcp__memory__create", "mcp__memory__.*", "mcp__.*", "memory__.*"]) {
            expect(await isMeant(matcher, server), matcher).to.equal(true);
            expect(await isMeant(matcher, CALL), matcher).to.equal(false);
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

    it("North does not wait for what a finished hook leaves running", async () => {
        expect(await before("sleep 30 & exit 0")).to.deep.equal({});
    });

    it("UserPromptSubmit adds its output to a message or refuses it", async () => {
        const submit = (script: string) => {
            const { check, context } = hook("UserPromptSubmit", script);
            return check.beforeMessage?.("hello", context);
        };
        expect(await submit("echo The build is red.")).to.deep.equal({ note: "The build is red." });
        expect(await submit("echo '{rule: be brief}'")).to.deep.equal({ note: "{rule: be brief}" });
        expect(await submit("echo never >&2; exit 2")).to.deep.equal({ deny: "never" });
    });

    it("PostToolUse tells the model, and refuses nothing that has happened", async () => {
        const { check, context } = hook("PostToolUse", "echo format it >&2; exit 2");
        const after = { ...CALL, result: { ok: true, data: {} } as const };
        expect(await check.afterCall?.(after, context)).to.deep.equal({ note: "format it" });
    });

    it("Stop makes the model continue, and knows when it runs a second time", async () => {
        const { check, context } = hook(
            "Stop",
            "grep -q '\"stop_hook_active\":true' && exit 0; echo test it >&2; exit 2"
        );
        expect(await check.afterTurn?.("Done.", context)).to.deep.equal({
            continueWith: "test it",
        });
        expect(await check.afterTurn?.("Done.", context)).to.equal(undefined);
    });

    it("PostToolUse does not run after an edit that only a draft has, and says so once", async () => {
        const { check, context, root } = hook("PostToolUse", "touch ran");
        const drafted = (approval: "write" | "none") => {
            const result = { ok: true, data: { applied: "drafted", files: [] } } as const;
            return check.afterCall?.({ ...CALL, approval, result }, context);
        };
        const notice =
            "It does not run after edits in a draft: the project does not have them yet.";
        expect(await drafted("write")).to.deep.equal({ notice });
        expect(await drafted("write")).to.deep.equal({});
        expect(readdirSync(root)).to.deep.equal(["hook.sh"]);
        await drafted("none");
        expect(readdirSync(root)).to.have.members(["hook.sh", "ran"]);
    });

    it("PostToolUse does not run after a call that failed", async () => {
        const { check, context, root } = hook("PostToolUse", "touch ran");
        const error = { code: "no", message: "It failed." };
        await check.afterCall?.({ ...CALL, result: { ok: false, error } }, context);
        expect(readdirSync(root)).to.deep.equal(["hook.sh"]);
    });

    it("Stop gets the answer, may add context, and ends the turn where it says so", async () => {
        const stop = (script: string) => {
            const { check, context } = hook("Stop", script);
            return check.afterTurn?.("All done.", context);
        };
        expect(await stop("grep -q 'All done' || exit 0; echo more >&2; exit 2")).to.deep.equal({
            continueWith: "more",
        });
        expect(
            await stop(json({ hookSpecificOutput: { additionalContext: "Tests fail." } }))
        ).to.deep.equal({ continueWith: "Tests fail." });
        expect(await stop(json({ continue: false, stopReason: "Enough." }))).to.deep.equal({
            note: `${hook("Stop", "").check.name}: Enough.`,
        });
        const failed = await stop("exit 1");
        expect(failed)
            .to.have.property("note")
            .that.matches(/^Stop hook .*: It failed and was ignored/);
    });

    it("Definitions with a mistake do not run, and each is named with its place", () => {
        const command = { type: "command", command: "true" };
        const mistakes: readonly (readonly [setting: unknown, problem: RegExp])[] = [
            ["x", /not an object/],
            [{ PretoolUse: [] }, /^PretoolUse: North has no such event, only PreToolUse/],
            [{ PostCompact: [] }, /^PostCompact: North has no such event/],
            [{ Stop: "x" }, /^Stop: it is not a list/],
            [{ PreToolUse: { hooks: [command] } }, /^PreToolUse: it is not a list/],
            [{ PreToolUse: [7] }, /^PreToolUse\[0\]: /],
            [{ PreToolUse: [{ matcher: "Bash" }] }, /^PreToolUse\[0\]: .*hooks/],
            [{ PreToolUse: [{ matcher: "(", hooks: [command] }] }, /its matcher/],
            [{ Stop: [{ hooks: [command, { command: "x" }] }] }, /^Stop\[0\]\.hooks\[1\]: .*type/],
            [{ Stop: [{ hooks: [{ ...command, timeout: "10" }] }] }, /timeout/],
            [{ Stop: [{ hooks: [{ ...command, args: "x" }] }] }, /args/],
            [{ Stop: [{ hooks: [{ ...command, if: "Bash(git *)" }] }] }, /`if` is only for/],
            [{ PreToolUse: [{ hooks: [{ ...command, if: "Bash git" }] }] }, /if/],
            [{ Stop: [{ hooks: [{ ...command, unless: "x" }] }] }, /unless/],
            [{ Stop: [{ hooks: [{ type: "command", comand: "x" }] }] }, /`comand` is not a known/],
            [{ Stop: [{ hooks: [{ type: "http", url: "x" }] }] }, /type command, not http/],
            [{ Stop: [{ hooks: [null] }] }, /^Stop\[0\]\.hooks\[0\]: /],
        ];
        for (const [setting, problem] of mistakes) {
            const { hooks, problems } = readHooks(setting);
            const what = JSON.stringify(setting);
            expect(problems, what).to.have.length(1);
            expect(problems[0], what).to.match(problem);
            expect(hooks.length, what).to.equal(
                what.includes("true") && what.includes(",{") ? 1 : 0
            );
        }
        expect(readHooks(undefined)).to.deep.equal({ hooks: [], problems: [] });
        expect(readHooks({ Stop: [{ hooks: [command] }] }).problems).to.deep.equal([]);
    });
});
