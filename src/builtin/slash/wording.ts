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

/** Splits off the flags at the end: `npm test --max 5`. A value with spaces is quoted. */
export function lastFlags<Name extends string>(
    typed: string,
    names: readonly Name[]
): { readonly text: string; readonly flags: { readonly [Key in Name]?: string } } {
    const last = new RegExp(
        `^(.*?)(?:^|\\s+)--(${names.join("|")})(?:=|\\s+)("[^"]*"|'[^']*'|[^\\s"']\\S*)$`,
        "s"
    );
    const flags: { [Key in Name]?: string } = {};
    let text = typed.trim();
    for (let match = last.exec(text); match; match = last.exec(text)) {
        const [, rest = "", name, value = ""] = match;
        const key = names.find((each) => each === name);
        if (key !== undefined) flags[key] ??= unquote(value);
        text = rest.trimEnd();
    }
    return { text, flags };
}

/** Thrown, not printed: after a failed command nothing else of the line is sent. */
export function wrongUsage({ usage }: SlashCommand, problem = ""): NorthError {
    return new NorthError("invalid-usage", `${problem} Usage: ${usage}`.trim());
}
