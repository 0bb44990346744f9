import { existsSync } from "node:fs";
import { counted } from "../../base/format.js";
import { NorthError } from "../../base/north-error.js";
import type { ForkedFrom, JournalRecord } from "../../plugin/records.js";
import { type ByteRange, readJsonLines } from "./journal-lines.js";
import { type JournalContent, readJournal } from "./open-journal.js";
import { checkRecord } from "./validate-record.js";

type LogPathOf = (id: string) => string;

/**
 * Reads a log, and of its parent's log the part it was forked from, which is only there. `forks` are
 * the logs that lead here: none of them is its own ancestor.
 */
export async function readWithFork(
    logFile: LogPathOf,
    id: string,
    range: Pick<ByteRange, "skip" | "to"> = {},
    forks: readonly string[] = []
): Promise<JournalContent> {
    const own = await readJournal(logFile(id), range);
    const origin = originOf(own.records);
    if (!origin) return own;
    const known = [...forks, id];
    if (!existsSync(logFile(origin.id)) || known.includes(origin.id)) {
        const lost = `The beginning of ${id} is missing: it is a fork of ${origin.id}, which is gone.`;
        return { ...own, warnings: [lost, ...own.warnings] };
    }
    const part = { ...range, to: origin.bytes };
    const before = await readWithFork(logFile, origin.id, part, known);
    return {
        records: [...before.records, ...own.records],
        inherited: before.records.length,
        warnings: [...before.warnings, ...own.warnings],
        end: own.end,
    };
}

export async function cutAfter(
    logFile: LogPathOf,
    id: string,
    turns?: number
): Promise<ForkedFrom> {
    const { records, inherited, end } = await readWithFork(logFile, id);
    const total = records.filter(isTurn).length;
    if (turns === undefined || turns === total) return { id, bytes: end };
    if (turns > total || turns < 1) {
        const next = total > 1 ? [`Choose a turn from 1 to ${total}.`] : [];
        throw new NorthError("no-such-turn", `${id} has ${counted(total, "turn")}.`, next);
    }
    const before = records.slice(0, inherited).filter(isTurn).length;
    const origin = originOf(records.slice(inherited));
    if (origin && turns <= before) return cutAfter(logFile, origin.id, turns);
    let turn = before;
    let lineStart = 0;
    let bytes: number | undefined;
    const onLine = (value: unknown, lineEnd: number) => {
        const checked = checkRecord(value);
        if (checked.kind === "valid" && isTurn(checked.record)) turn += 1;
        if (turn > turns) bytes ??= lineStart;
        lineStart = lineEnd;
    };
    await readJsonLines(logFile(id), {}, onLine, () => {});
    return { id, bytes: bytes ?? end };
}

function isTurn(record: JournalRecord): boolean {
    return record.type === "entry_added" && record.entry.kind === "user";
}

function originOf(records: readonly JournalRecord[]): ForkedFrom | undefined {
    const started = records.find(({ type }) => type === "conversation_started");
    return started?.type === "conversation_started" ? started.forkedFrom : undefined;
}
