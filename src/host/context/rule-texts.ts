import type { ContextPart } from "../../plugin/index.js";
import type { ToldContext } from "../../core/conversation/told-parts.js";
import { reminder } from "../../core/context/reminder.js";
import type { CursorRule } from "../../workspace/context/cursor-rules.js";

/** What all rules of a conversation may take together. */
const MAX_BYTES = 30 * 1024;
const TITLE = "# Cursor Project Rules (.cursor/rules)";

/** The rules for every conversation, as one part. */
export function alwaysRules(rules: readonly CursorRule[]): ContextPart[] {
    const texts = rules.filter(({ always }) => always).map(textOf);
    if (texts.length === 0) return [];
    const text = within([TITLE, ...texts].join("\n\n"), MAX_BYTES);
    return [{ kind: "rules", id: "rules", text: reminder(text) }];
}

/** The rules for files that are touched and were not told, each a part, as far as there is room. */
export function rulesForFiles(
    rules: readonly CursorRule[],
    files: readonly string[],
    told: ToldContext
): ContextPart[] {
    let room = MAX_BYTES - bytesOfRules(told);
    const parts: ContextPart[] = [];
    for (const rule of rules) {
        const id = `rule:${rule.path}`;
        if (rule.always || told.has(id) || !files.some((file) => rule.matches(file))) continue;
        if (room <= 0) break;
        const text = within([`${TITLE}: for files you use now`, textOf(rule)].join("\n\n"), room);
        room -= Buffer.byteLength(text);
        parts.push({ kind: "rules", id, text: reminder(text) });
    }
    return parts;
}

function textOf({ path, body }: CursorRule): string {
    return `## ${path}\n\n${body}`;
}

function bytesOfRules(told: ToldContext): number {
    return [...told.values()]
        .filter(({ kind }) => kind === "rules")
        .reduce((sum, { text }) => sum + Buffer.byteLength(text), 0);
}

function within(text: string, maxBytes: number): string {
    const bytes = Buffer.from(text);
    if (bytes.length <= maxBytes) return text;
    // In stream mode an incomplete last character is left out.
    const beginning = new TextDecoder().decode(bytes.subarray(0, maxBytes), { stream: true });
    return `${beginning}\n[truncated]`;
}
