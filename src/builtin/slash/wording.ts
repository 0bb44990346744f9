import type { Option } from "../../plugin/index.js";

/** Strips quotes, which keep an argument from being parsed as a slash command. */
export function unquote(text: string): string {
    return /^(["'])(.*)\1$/s.exec(text)?.[2] ?? text;
}

export function startingWith(typed: string, options: readonly (Option | string)[]): Option[] {
    return options
        .map((option) => (typeof option === "string" ? { value: option } : option))
        .filter(({ value }) => value.startsWith(typed));
}
