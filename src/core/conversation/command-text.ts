import type { CommandEntry } from "../../plugin/records.js";

/** What the user typed; absent if the entry holds what they decided in the review of a draft. */
export function typedText({ name, argumentsText, told }: CommandEntry): string | undefined {
    if (name === "!") return `!${argumentsText}`;
    return told === undefined ? `/${name} ${argumentsText}`.trimEnd() : undefined;
}

/** What the user typed or decided. */
export function commandText(entry: CommandEntry): string {
    return typedText(entry) ?? entry.told ?? "";
}
