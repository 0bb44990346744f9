import type { JournalRecord } from "../../plugin/records.js";

/** Shorter keys would also match unrelated text. */
const SHORTEST_KEY = 8;
const WITHHELD = "[key withheld]";

/** Redacts keys in a record to be stored and sent: a command, a file or a result may show one. */
export function withoutKeys(record: JournalRecord, keys: Iterable<string>): JournalRecord {
    if (record.type !== "entry_added") return record;
    const clean = (text: string) => textWithoutKeys(text, keys);
    if (record.entry.kind === "command" && record.entry.told !== undefined) {
        return { ...record, entry: { ...record.entry, told: clean(record.entry.told) } };
    }

    if (record.entry.kind !== "tool_result") return record;
    const { content, summary, display } = record.entry;
    return {
        ...record,
        entry: {
            ...record.entry,
            content: clean(content),
            summary: summary && clean(summary),
            display: display && clean(display),
        },
    };
}

export function textWithoutKeys(text: string, keys: Iterable<string>): string {
    return [...keys]
        .filter((key) => key.length >= SHORTEST_KEY)
        .reduce((result, key) => result.replaceAll(key, WITHHELD), text);
}
