import { fieldsIn, isFields } from "../../base/fields.js";
import type {
    AssistantEntry,
    ChangeEntry,
    DraftedEntry,
    Entry,
    ToolResultEntry,
} from "../../plugin/records.js";
import { commandText, typedText } from "../../core/conversation/command-text.js";
import { withEndedCalls } from "../../core/conversation/ended-calls.js";
import { settledTexts } from "../../core/conversation/undo.js";
import { textWithoutFiles } from "../../core/files/file-block-parser.js";
import { ANSWER_MARK } from "../live-view.js";
import { loadWidths } from "../terminal/graphemes.js";
import { safeLine } from "../../base/safe-text.js";
import type { Theme } from "../terminal/theme.js";
import { AnswerText } from "./answer-text.js";
import { callLine, type CallFinished, type ReviewSettled } from "./call-lines.js";
import { echoOf } from "./echo.js";
import { counted } from "../../base/format.js";
import { loadInline } from "./markdown/inline.js";
import { reviewsIn } from "./recorded-reviews.js";
import { wrapProse } from "./wrap-prose.js";

/** Max calls shown per exchange; earlier ones are counted. */
const MAX_CALLS = 12;
/** Longer answers show their end, which has the conclusion. */
const MAX_ANSWER_LINES = 60;

interface ExchangeOptions {
    readonly id: string;
    /** Show only the last exchanges; all if absent. */
    readonly last?: number;
    /** Terminal width; unlimited if absent. */
    readonly columns?: number;
}

type ExchangeStyle = Required<Pick<ExchangeOptions, "columns">> & {
    readonly theme: Theme;
    readonly isWhole: boolean;
    readonly settled: ReadonlyMap<string, string>;
};

/** Loads character widths and Markdown for `exchangeLines`. A resumed chat can wait for them. */
export async function loadMeasures(): Promise<void> {
    await Promise.all([loadWidths(), loadInline()]);
}

/** The exchanges as shown in the chat, below a title line. */
export function exchangeLines(
    entries: readonly Entry[],
    theme: Theme,
    { id, last, columns = Infinity }: ExchangeOptions
): string[] {
    const look = { theme, columns, isWhole: last === undefined, settled: settledTexts(entries) };
    const exchanges = exchangesOf(entries);
    const shown = last === undefined ? exchanges : exchanges.slice(-last);
    const extent =
        shown.length === exchanges.length
            ? counted(exchanges.length, "exchange")
            : `the last ${shown.length} of ${counted(exchanges.length, "exchange")}`;
    return [
        theme.quiet(`── conversation ${safeLine(id)}, ${extent} ──`),
        ...shown.flatMap((exchange) => linesOf(exchange, look)),
    ];
}

function exchangesOf(entries: readonly Entry[]): readonly (readonly Entry[])[] {
    const exchanges: Entry[][] = [];
    for (const entry of entries) {
        if (entry.kind === "user" || exchanges.length === 0) exchanges.push([]);
        exchanges.at(-1)?.push(entry);
    }
    return exchanges;
}

function linesOf(exchange: readonly Entry[], look: ExchangeStyle): string[] {
    const { theme, columns, isWhole } = look;
    const reviews = reviewsIn(exchange);
    const entries = withEndedCalls(exchange);
    const calls = entries.filter(({ kind }) => kind === "tool_result");
    const hidden = new Set(isWhole ? [] : calls.slice(0, -MAX_CALLS));
    const [firstHidden] = hidden;
    return entries.flatMap((entry) => {
        if (entry === firstHidden) {
            return theme.quiet(`  … ${counted(hidden.size, "earlier call")}`);
        }
        if (hidden.has(entry)) return [];
        if (entry.kind === "assistant") return answerLines(entry, look);
        return entryText(entry, reviews, look).flatMap((text) => wrapProse(text, columns));
    });
}

/** Not wrapped yet. */
function entryText(
    entry: Exclude<Entry, AssistantEntry>,
    reviews: ReadonlyMap<string, ReviewSettled>,
    look: ExchangeStyle
): readonly string[] {
    const { theme } = look;
    switch (entry.kind) {
        case "user":
            return [echoOf(entry.text, theme)];
        case "tool_result":
            return callLines(finishedCall(entry), reviews.get(entry.callId), theme);
        case "change":
        case "drafted":
            return settledLine(entry, look);
        case "command":
            return typedText(entry) === undefined
                ? [theme.quiet(`· ${safeLine(commandText(entry))}`)]
                : [echoOf(commandText(entry), theme)];
        case "review":
        case "host_note":
            return [];
        default:
            return entry satisfies never;
    }
}

/** Of an undo, a redo or an applied draft; other changes are in the lines of their calls. */
function settledLine(
    { id, undoes }: ChangeEntry | DraftedEntry,
    { settled, theme }: ExchangeStyle
): readonly string[] {
    const text = safeLine(settled.get(id) ?? "");
    if (text === "") return [];
    return [undoes ? theme.quiet(`↶ ${text}`) : `${theme.success("✔")} ${text}`];
}

function callLines(call: CallFinished, review: ReviewSettled | undefined, theme: Theme): string[] {
    // A contained command succeeds, whatever is decided about its changes.
    const isDenied = call.ok && review?.subject === "write" && review.status === "denied";
    const isContained = isDenied || review?.command !== undefined;
    const line = callLine(call, review, theme);
    return isContained ? [callLine(call, undefined, theme), line] : [line];
}

function answerLines({ content, status }: AssistantEntry, look: ExchangeStyle): string[] {
    const { theme, isWhole } = look;
    const texts = content.flatMap((part) =>
        part.type === "text" ? textWithoutFiles(part.text) : []
    );
    const rows = renderedAnswer(texts.join("\n").trim(), look);
    const cut = isWhole ? 0 : Math.max(0, rows.length - MAX_ANSWER_LINES);
    const shown = cut > 0 ? ["", theme.assistant(ANSWER_MARK), ...rows.slice(cut)] : rows;
    return [
        ...shown,
        ...(cut > 0 ? [theme.quiet(`  (without its first ${counted(cut, "line")})`)] : []),
        ...(status === "cancelled" ? [theme.quiet("[Cancelled]")] : []),
        ...(status === "streaming" || status === "interrupted"
            ? [theme.quiet("[Interrupted]")]
            : []),
    ];
}

/** As when streamed, but without code colours. */
function renderedAnswer(text: string, { theme, columns }: ExchangeStyle): string[] {
    const rows: string[] = [];
    const view = {
        columns,
        printVerbatim: (lines: readonly string[]) => void rows.push(...lines),
        setTail: () => {},
    };
    const answer = new AnswerText({ view, theme, colours: () => undefined });
    answer.add(text);
    answer.finish();
    return rows;
}

function finishedCall(entry: ToolResultEntry): CallFinished {
    const error = entry.ok ? {} : { error: errorIn(entry.content) };
    return { ...entry, type: "tool-call-finished", ...error };
}

/** The error of a failed call. The log is a file, so check its shape. */
function errorIn(content: string): { readonly code: string; readonly message: string } {
    const error = fieldsIn(content)?.error;
    if (!isFields(error)) return { code: "unknown", message: "failed" };
    return { code: String(error.code), message: String(error.message) };
}
