import { firstWords } from "../../base/format.js";
import { isFields, type Fields, fieldsIn } from "../../base/fields.js";
import { messageOf } from "../../base/system-error.js";
import { withTimeLimit } from "../../base/waiting.js";
import type {
    Check,
    CheckContext,
    CheckedCall,
    JsonObject,
    Objection,
    ToolResult,
    WatchedEvent,
} from "../../plugin/index.js";
import { onlyReads } from "../../plugin/modes.js";
import type { TrustedHook } from "../../storage/grants/hook-grants.js";
import type { HookEvent, HookSetting } from "../../storage/hook-settings.js";
import { meetsCondition } from "./hook-condition.js";
import { callEvents, isMeant, matchesName } from "./hook-events.js";
import { type HookOutcome, runHook } from "./run-hook.js";
import { writeTranscript } from "./transcript.js";

const NAMED_CHARACTERS = 60;
/** For all events of a call; each has the hook's own limit. */
const CALL_LIMIT_MS = 600_000;
const OTHER_INPUT = "It changes the call's input, which hooks cannot do in North.";
const DRAFTED = "It does not run after edits in a draft: the project does not have them yet.";
const NO_REASON = "It gave no reason.";

/** A hook can object, ask or add context. If it allows, that counts as no opinion. */
interface HookOpinion {
    readonly blocked?: string | undefined;
    readonly asks?: string | undefined;
    readonly context?: string | undefined;
    /** For the user. */
    readonly notice?: string | undefined;
    /** Why it ends the turn. */
    readonly stop?: string | undefined;
}

type RunEvent = (fields: object, context: CheckContext) => Promise<HookOpinion>;

export function hookCheck(hook: TrustedHook, root: string): Check {
    const run = runnerOf(hook, root);
    const named = { name: nameOf(hook), timeLimitMs: CALL_LIMIT_MS };
    const { event } = hook;
    if (hook.suspended !== undefined) return { ...named, ...suspendedHook(hook) };
    switch (event) {
        case "PreToolUse":
            return { ...named, beforeCall: guard(hook, root, run) };
        case "PostToolUse":
            return { ...named, afterCall: follower(hook, root, run) };
        case "UserPromptSubmit":
            return {
                ...named,
                async beforeMessage(prompt, context) {
                    return objectionOf([await run({ prompt }, context)]);
                },
            };
        case "Stop":
            return { ...named, afterTurn: stopHook(named.name, run) };
        case "SessionStart":
        case "SessionEnd":
        case "PreCompact":
        case "SubagentStop":
        case "Notification":
        case "PermissionRequest":
            return { ...named, onEvent: watcher(hook, root, run) };
        default:
            return event satisfies never;
    }
}

/** While a guard is suspended the user decides in its place; the other hooks do nothing. */
function suspendedHook({ event, matcher, suspended }: TrustedHook): Pick<Check, "beforeCall"> {
    if (event !== "PreToolUse") return {};
    return {
        async beforeCall(call) {
            if (!(await isMeant(matcher, call))) return undefined;
            return { ask: `A hook that guards this is suspended: ${suspended}. See /trust.` };
        },
    };
}

function runnerOf(hook: HookSetting, root: string): RunEvent {
    const { event, seconds, blocksOnFailure } = hook;
    return async (fields, { conversationId, mode, signal, entries = () => [] }) => {
        const transcript = await writeTranscript(entries(), root);
        const input = {
            ...{ session_id: conversationId, cwd: root, hook_event_name: event },
            transcript_path: transcript.file,
            permission_mode: onlyReads(mode) ? "plan" : "default",
            ...fields,
        };
        try {
            const outcome = await withTimeLimit(
                seconds * 1_000,
                (limit) => runHook(hook, input, { root, signal: limit }),
                { signal }
            );
            return opinionOf(hook, outcome);
        } catch (error) {
            signal.throwIfAborted();
            // Said each time: a guard that does not run is worse than none.
            const reason = messageOf(error);
            if (!blocksOnFailure) return { notice: `It failed and was ignored: ${reason}` };
            return { blocked: `It failed, so the call is refused: ${reason}` };
        } finally {
            await transcript.remove();
        }
    };
}

/** The events of a call that a hook is for. */
async function eventsOf(
    { condition }: HookSetting,
    root: string,
    call: CheckedCall,
    { workspace }: CheckContext
) {
    const events = await callEvents(call, workspace);
    if (condition === undefined) return events;
    const meets = await Promise.all(events.map((event) => meetsCondition(condition, event, root)));
    return events.filter((_event, index) => meets[index]);
}

/** A result as scripts look for it: the fields of its data beside North's own. */
function responseOf(result: ToolResult, { file_path: filePath }: JsonObject) {
    const data = result.ok && isFields(result.data) ? result.data : {};
    return { ...data, ...(filePath !== undefined && { filePath }), ...result, success: result.ok };
}

function guard(hook: HookSetting, root: string, run: RunEvent): NonNullable<Check["beforeCall"]> {
    return async (call: CheckedCall, context) => {
        if (!(await isMeant(hook.matcher, call))) return undefined;
        const opinions: HookOpinion[] = [];
        for (const fields of await eventsOf(hook, root, call, context)) {
            const opinion = await run(fields, context);
            opinions.push(opinion);
            if (opinion.blocked !== undefined) break;
        }
        return objectionOf(opinions);
    };
}

function follower(hook: HookSetting, root: string, run: RunEvent): NonNullable<Check["afterCall"]> {
    let isTold = false;
    return async (call, context) => {
        const { result } = call;
        if (!result.ok || !(await isMeant(hook.matcher, call))) return undefined;
        const events = await eventsOf(hook, root, call, context);
        if (events.length > 0 && isDrafted(call)) {
            // It would work on files without the edit, and what it wrote there would conflict.
            const notice = isTold ? undefined : DRAFTED;
            isTold = true;
            return objectionOf([{ notice }]);
        }
        const opinions: HookOpinion[] = [];
        for (const fields of events) {
            const tool_response = responseOf(result, fields.tool_input);
            opinions.push(await run({ ...fields, tool_response }, context));
        }
        const told = opinions.map(({ blocked, stop, context: note, ...opinion }) => ({
            ...opinion,
            stop,
            context: lines([stop === blocked ? undefined : blocked, note]),
        }));
        return objectionOf(told);
    };
}

function isDrafted({ approval, result }: Parameters<NonNullable<Check["afterCall"]>>[0]): boolean {
    if (approval !== "write" || !result.ok) return false;
    return isFields(result.data) && result.data.applied === "drafted";
}

function stopHook(name: string, run: RunEvent): NonNullable<Check["afterTurn"]> {
    let hasBlocked = false;
    return async (answer, context) => {
        const fields = { stop_hook_active: hasBlocked, last_assistant_message: answer };
        const { blocked, context: more, notice, stop } = await run(fields, context);
        const next = stop === undefined ? lines([blocked, more]) : "";
        const note = lines([stop, notice]);
        if (next !== "") hasBlocked = true;
        if (next === "" && note === "") return undefined;
        return {
            ...(next !== "" && { continueWith: next }),
            ...(note !== "" && { note: `${name}: ${note}` }),
        };
    };
}

/** The hook's event, its fields, and what its matcher is about. */
function publishedEvent(event: WatchedEvent): {
    readonly name: HookEvent;
    readonly fields: Fields;
    readonly subjects: readonly string[];
} {
    switch (event.type) {
        case "session-started": {
            const { source } = event;
            return { name: "SessionStart", fields: { source }, subjects: [source] };
        }
        case "session-ended":
            return { name: "SessionEnd", fields: { reason: "other" }, subjects: ["other"] };
        case "before-summary": {
            const { trigger } = event;
            const fields = { trigger, custom_instructions: "" };
            return { name: "PreCompact", fields, subjects: [trigger] };
        }
        case "nested-run-ended": {
            const fields = { stop_hook_active: false, last_assistant_message: event.answer };
            return { name: "SubagentStop", fields, subjects: [""] };
        }
        case "waiting": {
            const notification_type = "permission_prompt";
            const fields = { message: event.message, notification_type };
            return { name: "Notification", fields, subjects: [notification_type] };
        }
        case "permission-asked": {
            const { tools, input } = event;
            const fields = { tool_name: tools[0] ?? "", tool_input: input };
            return { name: "PermissionRequest", fields, subjects: tools };
        }
        default:
            return event satisfies never;
    }
}

function watcher(hook: HookSetting, root: string, run: RunEvent): NonNullable<Check["onEvent"]> {
    return async (event, context) => {
        const { name, fields, subjects } = publishedEvent(event);
        if (name !== hook.event || !(await matchesName(hook.matcher, subjects))) return undefined;
        if (event.type === "permission-asked" && hook.condition !== undefined) {
            const call = { tool_name: event.tools[0] ?? "", tool_input: event.input };
            if (!(await meetsCondition(hook.condition, call, root))) return undefined;
        }
        return objectionOf([await run(fields, context)]);
    };
}

function nameOf({ event, command, args = [] }: HookSetting): string {
    return `${event} hook ${firstWords([command, ...args].join(" "), NAMED_CHARACTERS)}`;
}

function objectionOf(opinions: readonly HookOpinion[]): Objection {
    const all = (field: "blocked" | "asks" | "context" | "notice" | "stop") =>
        lines(opinions.map((opinion) => opinion[field]));
    const said = {
        ...{ stop: all("stop"), deny: all("blocked"), ask: all("asks") },
        ...{ note: all("context"), notice: all("notice") },
    };
    return Object.fromEntries(Object.entries(said).filter(([, text]) => text !== ""));
}

function lines(texts: readonly (string | false | undefined)[]): string {
    return [...new Set(texts.filter(Boolean))].join("\n");
}

/** JSON decides whatever the exit code, and 2 blocks whatever the JSON. */
function opinionOf({ event }: HookSetting, { exitCode, stdout, stderr }: HookOutcome): HookOpinion {
    const said = fieldsIn(stdout);
    const opinion = said ? opinionIn(said) : {};
    const { blocked, asks } = opinion;
    if (exitCode === 2) {
        const reason = blocked ?? (stderr || (said && reasonIn(said)) || NO_REASON);
        return { ...opinion, blocked: reason };
    }
    if (blocked !== undefined || asks !== undefined) return opinion;
    if (exitCode !== 0) {
        const [reason = ""] = stderr.split("\n");
        throw new Error(`it exited with ${exitCode}${reason === "" ? "" : `: ${reason}`}`);
    }
    if (said) {
        requireKnownWords(said);
        return opinion;
    }
    if (event === "UserPromptSubmit" || event === "SessionStart") {
        return stdout === "" ? {} : { context: stdout };
    }
    if (stdout.startsWith("{")) throw new Error("what it printed is not JSON");
    return {};
}

/** A guard that refuses in words that mean nothing has failed. */
function requireKnownWords({ decision, hookSpecificOutput }: Fields): void {
    const more = isFields(hookSpecificOutput) ? hookSpecificOutput : {};
    for (const [name, word, known] of [
        ["permissionDecision", more.permissionDecision, ["allow", "ask", "deny", "defer"]],
        ["decision", decision, ["approve", "block"]],
        ["behavior", isFields(more.decision) ? more.decision.behavior : null, ["allow", "deny"]],
    ] as const) {
        if (word == null || known.some((each) => each === word)) continue;
        const words = `${known.slice(0, -1).join(", ")} or ${known.at(-1)}`;
        throw new Error(`its ${name} is ${JSON.stringify(word)}, not ${words}`);
    }
}

function opinionIn(said: Fields): HookOpinion {
    const more = isFields(said.hookSpecificOutput) ? said.hookSpecificOutput : {};
    const stop = said.continue === false ? (textOf(said.stopReason) ?? NO_REASON) : undefined;
    const isBlocked =
        more.permissionDecision === "deny" ||
        said.decision === "block" ||
        (isFields(more.decision) && more.decision.behavior === "deny");
    const reason = reasonIn(said) ?? NO_REASON;
    return {
        blocked: isBlocked ? reason : stop,
        asks: more.permissionDecision === "ask" ? reason : undefined,
        context: textOf(more.additionalContext),
        notice: lines([textOf(said.systemMessage), isFields(more.updatedInput) && OTHER_INPUT]),
        stop,
    };
}

function reasonIn(said: Fields): string | undefined {
    const more = isFields(said.hookSpecificOutput) ? said.hookSpecificOutput : {};
    const { message } = isFields(more.decision) ? more.decision : {};
    return (
        textOf(message) ??
        textOf(more.permissionDecisionReason) ??
        textOf(said.reason) ??
        textOf(said.stopReason)
    );
}

function textOf(value: unknown): string | undefined {
    return typeof value === "string" && value !== "" ? value : undefined;
}
