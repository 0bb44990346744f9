import { isFields } from "../../base/fields.js";
import type { Check, CheckContext, CheckedCall } from "../../plugin/index.js";
import type { HookSetting } from "../../storage/hook-settings.js";
import { type ChildProcess, spawn } from "node:child_process";
import { within } from "../../base/waiting.js";

const NAMED_CHARACTERS = 60;

/** Claude Code's names for tools of each class, which hooks are written for. */
const OTHER_NAMES: Readonly<Record<CheckedCall["approval"], readonly string[]>> = {
    none: [],
    ask: [],
    shell: ["Bash"],
    write: ["Edit", "MultiEdit", "Write"],
};

/** A hook can object or add context. If it allows, that counts as no opinion. */
interface HookOpinion {
    readonly blocked?: string;
    readonly context?: string;
}

export function hookCheck(hook: HookSetting, root: string): Check {
    const { event, command, seconds } = hook;
    const run = async (fields: object, { conversationId, signal }: CheckContext) => {
        const input = { session_id: conversationId, cwd: root, hook_event_name: event, ...fields };
        return opinionOf(hook, await runHook(command, input, { root, signal }));
    };
    const named = { name: nameOf(hook), timeLimitMs: seconds * 1_000 };
    switch (event) {
        case "PreToolUse":
            return {
                ...named,
                async beforeCall(call, context) {
                    if (!(await isMeant(hook.matcher, call))) return undefined;
                    const { blocked, context: note } = await run(callFields(call), context);
                    return objection(blocked, note);
                },
            };
        case "PostToolUse":
            return {
                ...named,
                async afterCall(call, context) {
                    if (!(await isMeant(hook.matcher, call))) return undefined;
                    const fields = { ...callFields(call), tool_response: call.result };
                    const { blocked, context: note } = await run(fields, context);
                    return objection(undefined, [blocked, note].filter(Boolean).join("\n"));
                },
            };
        case "UserPromptSubmit":
            return {
                ...named,
                async beforeMessage(prompt, context) {
                    const { blocked, context: note } = await run({ prompt }, context);
                    return objection(blocked, note);
                },
            };
        case "Stop":
            return { ...named, afterTurn: stopHook(run) };
        default:
            return event satisfies never;
    }
}

function stopHook(
    run: (fields: object, context: CheckContext) => Promise<HookOpinion>
): NonNullable<Check["afterTurn"]> {
    let hasBlocked = false;
    return async (_answer, context) => {
        const { blocked } = await run({ stop_hook_active: hasBlocked }, context);
        if (blocked === undefined) return undefined;
        hasBlocked = true;
        return { continueWith: blocked };
    };
}

function nameOf({ event, command }: HookSetting): string {
    const line = command.replace(/\s+/g, " ");
    const shown = line.length > NAMED_CHARACTERS ? `${line.slice(0, NAMED_CHARACTERS - 1)}…` : line;
    return `${event} hook ${shown}`;
}

function objection(deny: string | undefined, note: string | undefined) {
    return { ...(deny === undefined ? {} : { deny }), ...(note ? { note } : {}) };
}

/** Scripts expect `file_path` where North's tools have `path`. */
function callFields({ tool, input }: CheckedCall) {
    const path = input.path === undefined ? {} : { file_path: input.path };
    return { tool_name: tool, tool_input: { ...path, ...input } };
}

async function isMeant(matcher: string, { tool, approval }: CheckedCall): Promise<boolean> {
    if (matcher === "" || matcher === "*") return true;
    const names = [tool, ...OTHER_NAMES[approval]];
    if (/^[\w|-]+$/.test(matcher)) return matcher.split("|").some((name) => names.includes(name));
    const { RE2JS } = await import("re2js");
    const pattern = RE2JS.compile(matcher);
    return names.some((name) => pattern.matches(name));
}

type HookOutcome = Awaited<ReturnType<typeof runHook>>;

function opinionOf({ event }: HookSetting, { exitCode, stdout, stderr }: HookOutcome): HookOpinion {
    if (exitCode === 2) return { blocked: stderr || "It gave no reason." };
    if (exitCode !== 0) throw new Error(`it exited with ${exitCode}: ${stderr.split("\n")[0]}`);
    const isText = !stdout.startsWith("{");
    if (isText) return event === "UserPromptSubmit" && stdout !== "" ? { context: stdout } : {};
    const said: unknown = JSON.parse(stdout);
    if (!isFields(said)) return {};
    const more = isFields(said.hookSpecificOutput) ? said.hookSpecificOutput : {};
    const context = textOf(more.additionalContext);
    const blocked =
        more.permissionDecision === "deny"
            ? (textOf(more.permissionDecisionReason) ?? "It gave no reason.")
            : said.decision === "block" || said.continue === false
              ? (textOf(said.reason) ?? textOf(said.stopReason) ?? "It gave no reason.")
              : undefined;
    return { blocked, context };
}

function textOf(value: unknown): string | undefined {
    return typeof value === "string" && value !== "" ? value : undefined;
}

/** Per stream. The rest is read and discarded. */
const MAX_BYTES = 256 * 1024;
/** Grace period for output: a child of the hook may hold it open forever. */
const REST_MS = 200;

/** Runs a hook with an event on its stdin. An abort kills its whole process group. */
export async function runHook(
    command: string,
    event: object,
    { root, signal }: { readonly root: string; readonly signal: AbortSignal }
) {
    signal.throwIfAborted();
    const child = spawn("/bin/sh", ["-c", command], {
        cwd: root,
        detached: true,
        stdio: "pipe",
        env: { ...process.env, CLAUDE_PROJECT_DIR: root, NORTH_PROJECT_DIR: root },
    });
    const stop = () => killGroup(child);
    signal.addEventListener("abort", stop);
    // A hook need not read its input.
    child.stdin.on("error", () => {});
    child.stdin.end(`${JSON.stringify(event)}\n`);
    const stdout = new Beginning(child.stdout);
    const stderr = new Beginning(child.stderr);
    try {
        const closed = new Promise<void>((resolve) => child.once("close", () => resolve()));
        const exitCode = await new Promise<number>((resolve, reject) => {
            child.once("error", reject);
            child.once("exit", (code) => resolve(code ?? 1));
        });
        await within(REST_MS, closed, () => {});
        signal.throwIfAborted();
        return { exitCode, stdout: stdout.text, stderr: stderr.text };
    } finally {
        signal.removeEventListener("abort", stop);
        // Kill what it left running in its process group.
        stop();
        child.stdout.destroy();
        child.stderr.destroy();
    }
}

function killGroup({ pid }: ChildProcess): void {
    if (pid === undefined) return;
    try {
        process.kill(-pid, "SIGKILL");
    } catch {
        // Already gone.
    }
}

class Beginning {
    private readonly chunks: Buffer[] = [];
    private size = 0;

    constructor(stream: NodeJS.ReadableStream) {
        stream.on("data", (chunk: Buffer) => {
            if (this.size < MAX_BYTES) this.chunks.push(chunk.subarray(0, MAX_BYTES - this.size));
            this.size += chunk.length;
        });
    }

    get text(): string {
        return Buffer.concat(this.chunks).toString().trim();
    }
}
