import * as Type from "typebox";
import { isFields } from "../base/fields.js";
import { checker } from "../base/json-schema.js";
import { safeLine } from "../base/safe-text.js";

const EVENTS = [
    ...([
        "PreToolUse",
        "PostToolUse",
        "UserPromptSubmit",
        "Stop",
        "SessionStart",
        "SessionEnd",
    ] as const),
    ...(["PreCompact", "SubagentStop", "Notification", "PermissionRequest"] as const),
];
export type HookEvent = (typeof EVENTS)[number];
const MAX_HOOKS = 100;
const DEFAULT_SECONDS = 60;
const MAX_SECONDS = 600;

/** A command to run at an event, as in Claude Code's settings. */
export interface HookSetting {
    readonly event: HookEvent;
    /** A pattern for tool names, or for what an event is about; empty matches all. */
    readonly matcher: string;
    /** A permission rule such as `Bash(git *)`: a call that does not match it is not an event. */
    readonly condition?: string;
    /** A line for the shell, or with `args` a program. */
    readonly command: string;
    /** Arguments of the program, which then runs without a shell. */
    readonly args?: readonly string[];
    readonly seconds: number;
    /** A failure of the hook refuses the call or message. */
    readonly blocksOnFailure?: true;
}

const handler = checker(
    Type.Object(
        {
            type: Type.Literal("command"),
            command: Type.String({ minLength: 1 }),
            args: Type.Optional(Type.Array(Type.String())),
            timeout: Type.Optional(Type.Number({ exclusiveMinimum: 0 })),
            onFailure: Type.Optional(Type.Enum(["block", "continue"])),
            if: Type.Optional(Type.String({ pattern: "^[\\w*-]+(?:\\(.*\\))?$" })),
            shell: Type.Optional(Type.Enum(["bash", "sh"])),
            // Without effect here, and harmless.
            ...{ statusMessage: Type.Optional(Type.String()) },
            ...{ async: Type.Optional(Type.Boolean()), once: Type.Optional(Type.Boolean()) },
        },
        // A field that North does not know may say when, or what, not to run.
        { additionalProperties: false }
    )
);
const group = checker(
    Type.Object(
        {
            matcher: Type.Optional(Type.String()),
            hooks: Type.Array(Type.Unknown()),
            description: Type.Optional(Type.String()),
        },
        { additionalProperties: false }
    )
);

/** Parses a `hooks` setting: https://code.claude.com/docs/en/hooks */
export function readHooks(setting: unknown): {
    readonly hooks: readonly HookSetting[];
    /** Definitions that do not run and why, one clause each. */
    readonly problems: readonly string[];
} {
    if (setting === undefined) return { hooks: [], problems: [] };
    if (!isFields(setting)) return { hooks: [], problems: ["`hooks` is not an object"] };
    const hooks: HookSetting[] = [];
    const problems: string[] = [];
    const refuse = (path: string, why: string) =>
        problems.push(safeLine(`${path}: ${why}`).slice(0, 300));
    for (const [name, groups] of Object.entries(setting)) {
        const event = EVENTS.find((known) => known === name);
        if (event === undefined) {
            refuse(name, `North has no such event, only ${EVENTS.join(", ")}`);
        } else if (!Array.isArray(groups)) {
            refuse(name, "it is not a list");
        } else {
            for (const [index, each] of groups.entries()) {
                hooks.push(...hooksOf(event, each, `${name}[${index}]`, refuse));
            }
        }
    }
    if (hooks.length > MAX_HOOKS) refuse("hooks", `only the first ${MAX_HOOKS} of them run`);
    return { hooks: hooks.slice(0, MAX_HOOKS), problems };
}

function hooksOf(
    event: HookEvent,
    each: unknown,
    path: string,
    refuse: (path: string, why: string) => void
): HookSetting[] {
    if (!group.fits(each)) {
        refuse(path, group.problem(each) ?? "it is not valid");
        return [];
    }
    const { matcher = "", hooks } = each;
    return hooks.flatMap((hook, index) => {
        const problem = handler.fits(hook)
            ? (matcherProblem(matcher) ?? conditionProblem(event, hook.if))
            : handlerProblem(hook);
        if (!handler.fits(hook) || problem !== undefined) {
            refuse(`${path}.hooks[${index}]`, problem ?? "it is not valid");
            return [];
        }
        const { command, args, if: condition, timeout = DEFAULT_SECONDS, onFailure } = hook;
        const seconds = Math.min(timeout, MAX_SECONDS);
        return {
            ...{ event, matcher, command, seconds },
            ...(args && { args }),
            ...(condition !== undefined && { condition }),
            ...(onFailure === "block" && { blocksOnFailure: true as const }),
        };
    });
}

function handlerProblem(hook: unknown): string | undefined {
    const type = isFields(hook) ? hook.type : undefined;
    if (typeof type === "string" && type !== "command") {
        return `North runs hooks of type command, not ${type}`;
    }
    return handler.problem(hook);
}

function conditionProblem(event: HookEvent, condition: string | undefined): string | undefined {
    const isForCalls = ["PreToolUse", "PostToolUse", "PermissionRequest"].includes(event);
    return condition === undefined || isForCalls ? undefined : "its `if` is only for tool calls";
}

/** RE2, which matches it, supports less than RegExp; the rest fails when the hook is called. */
function matcherProblem(matcher: string): string | undefined {
    try {
        new RegExp(matcher === "*" ? "" : matcher);
        return undefined;
    } catch {
        return "its matcher is not a regular expression";
    }
}
