import { NorthError } from "../../base/north-error.js";
import type { Option, SlashCommand } from "../../plugin/index.js";

/** Strips quotes, which keep an argument from being parsed as a slash command. */
export function unquote(text: string): string {
    return /^(["'])(.*)\1$/s.exec(text)?.[2] ?? text;
}

export function startingWith(typed: string, options: readonly (Option | string)[]): Option[] {
    return options
        .map((option) => (typeof option === "string" ? { value: option } : option))
        .filter(({ value }) => value.startsWith(typed));
}

/** Thrown, not printed: after a failed command nothing else of the line is sent. */
export function wrongUsage({ usage }: SlashCommand, problem = ""): NorthError {
    return new NorthError("invalid-usage", `${problem} Usage: ${usage}`.trim());
}
