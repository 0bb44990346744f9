import { isFields } from "../../base/fields.js";
import type { Check, CheckContext, CheckedCall } from "../../plugin/index.js";
import type { HookSetting } from "../../storage/hook-settings.js";
import { type HookOutcome, runHook } from "./run-hook.js";

const NAMED_CHARACTERS = 60;

/** What Claude Code calls tools of a class: hooks are written for these names. */
const OTHER_NAMES: Readonly<Record<CheckedCall["approval"], readonly string[]>> = {
    none: [],
    ask: [],
    shell: ["Bash"],
    write: ["Edit", "MultiEdit", "Write"],
};

/** A hook has objections or something to add; whatever it allows counts as no opinion. */
interface HookOpinion {
    readonly blocked?: string;
    readonly context?: string;
}

/** A hook of the settings as a check. */
export function hookCheck(hook: HookSetting, root: string): Check {
    const { event, command, seconds } = hook;
    const run = async (fields: object, { conversationId, signal }: CheckContext) => {
        const told = { session_id: conversationId, cwd: root, hook_event_name: event, ...fields };
        return opinionOf(hook, await runHook(command, told, { root, signal }));
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
    return {
        ...(deny === undefined ? {} : { deny }),
        ...(note === undefined || note === "" ? {} : { note }),
    };
}

/** Scripts look for `file_path` where North's tools have `path`. */
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
    return {
        ...(blocked === undefined ? {} : { blocked }),
        ...(context === undefined ? {} : { context }),
    };
}

function textOf(value: unknown): string | undefined {
    return typeof value === "string" && value !== "" ? value : undefined;
}
