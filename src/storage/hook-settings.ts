import * as Type from "typebox";
import { checker } from "../base/json-schema.js";

const EVENTS = ["PreToolUse", "PostToolUse", "UserPromptSubmit", "Stop"] as const;
const MAX_HOOKS = 100;
const DEFAULT_SECONDS = 60;
const MAX_SECONDS = 600;

/** A command to run at an event, as in Claude Code's settings. */
export interface HookSetting {
    readonly event: (typeof EVENTS)[number];
    /** A pattern for tool names; empty matches all tools. */
    readonly matcher: string;
    readonly command: string;
    readonly seconds: number;
}

const hook = Type.Object({
    type: Type.Literal("command"),
    command: Type.String({ minLength: 1 }),
    timeout: Type.Optional(Type.Number({ exclusiveMinimum: 0 })),
});
const group = checker(
    Type.Object({ matcher: Type.Optional(Type.String()), hooks: Type.Array(Type.Unknown()) })
);
const hookChecker = checker(hook);

/**
 * Parses a `hooks` setting (https://code.claude.com/docs/en/hooks); skips what North does not
 * support.
 */
export function hooksIn(setting: unknown): readonly HookSetting[] {
    if (typeof setting !== "object" || setting === null) return [];
    const found = EVENTS.flatMap((event) => {
        const groups: unknown = Reflect.get(setting, event);
        if (!Array.isArray(groups)) return [];
        return groups.flatMap((each: unknown): HookSetting[] => {
            if (!group.fits(each)) return [];
            const { matcher = "", hooks } = each;
            return hooks.filter(hookChecker.fits).map(({ command, timeout = DEFAULT_SECONDS }) => {
                return { event, matcher, command, seconds: Math.min(timeout, MAX_SECONDS) };
            });
        });
    });
    return found.slice(0, MAX_HOOKS);
}
