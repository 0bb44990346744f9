import path from "node:path";
import { createContext, Script } from "node:vm";

import type { ChangeSet } from "../../../plugin/index.js";
import { loadCodeSpans, type CodeSpan, type CodeSpans } from "../code-colours.js";
import { showControls } from "../../../base/safe-text.js";
import type { Theme } from "../../terminal/theme.js";

export interface MarkedRange {
    readonly from: number;
    readonly to: number;
}

type Side = "before" | "after";

interface ChangedWords {
    readonly removed: readonly MarkedRange[];
    readonly added: readonly MarkedRange[];
}

/** Diff colours beyond added and removed lines. */
export interface DiffDetails {
    /** The changed words of two similar lines; `undefined` for others. */
    compare(before: string, after: string): ChangedWords | undefined;
    /** The code spans of a line, counted from 1; `undefined` if unknown. */
    code(file: string, side: Side, line: number): readonly CodeSpan[] | undefined;
}

/** Longer files get no code colours. */
const MAX_FILE_LENGTH = 200_000;
/** Below this share of common characters, lines count as different. */
const MIN_COMMON = 0.4;
const MAX_COMPARED_LENGTH = 500;
/** Max characters of a change to highlight and to compare, each the work of a moment. */
const MAX_HIGHLIGHTED = 300_000;
const MAX_COMPARED = 100_000;
/** The highlighter takes minutes on some texts. */
const TIME_LIMIT_MS = 1_000;

/** Loads the details of a diff's colours; `undefined` without colours. */
export async function loadDiffDetails(
    changeSet: ChangeSet,
    theme: Theme,
    timeLimitMs = TIME_LIMIT_MS
): Promise<DiffDetails | undefined> {
    if (theme.isPlain) return undefined;
    const { diffWordsWithSpace } = await import("diff");
    const spansOf = limited(await loadCodeSpans(), timeLimitMs);
    const mayCompare = budget(MAX_COMPARED);
    const changes = new Map(changeSet.changes.map((change) => [change.path, change]));
    const known = new Map<string, readonly (readonly CodeSpan[])[]>();
    // Highlight whole files: a comment or string may be open from far above.
    const linesOf = (file: string, side: Side): readonly (readonly CodeSpan[])[] => {
        const key = `${side} ${file}`;
        const lines = known.get(key) ?? linesIn(textOf(changes.get(file)?.[side]), file, spansOf);
        known.set(key, lines);
        return lines;
    };
    return {
        compare: (before, after) =>
            mayCompare(before.length + after.length)
                ? compare(before, after, diffWordsWithSpace)
                : undefined,
        code: (file, side, line) => linesOf(file, side)[line - 1],
    };
}

function textOf(content: Uint8Array | null | undefined): string {
    if (!content || content.byteLength > MAX_FILE_LENGTH) return "";
    return showControls(new TextDecoder().decode(content).replaceAll("\r\n", "\n"));
}

function linesIn(text: string, file: string, spansOf: CodeSpans): CodeSpan[][] {
    const language = path.extname(file).slice(1) || path.basename(file);
    const spans = spansOf(text, language.toLowerCase()) ?? [];
    const lines: CodeSpan[][] = spans.length > 0 ? [[]] : [];
    for (const span of spans) {
        const [first = "", ...others] = span.text.split("\n");
        lines.at(-1)?.push({ ...span, text: first });
        for (const next of others) lines.push([{ ...span, text: next }]);
    }
    return lines;
}

/** Grants amounts up to a total. By size, not time, so that every machine shows the same. */
function budget(whole: number): (amount: number) => boolean {
    let left = whole;
    return (amount) => {
        if (amount > left) return false;
        left -= amount;
        return true;
    };
}

/** Limits the total characters highlighted. Stops for good once one text takes too long. */
function limited(spansOf: CodeSpans, timeout: number): CodeSpans {
    const mayHighlight = budget(MAX_HIGHLIGHTED);
    let isTooSlow = false;
    // Shared: each takes a millisecond to create, and a change may have thousands of small files.
    const context = createContext({});
    const script = new Script("work()");
    return (code, language) => {
        // Warm up the language outside the time limit: interrupted, it would stay half initialized.
        if (isTooSlow || !spansOf("", language) || !mayHighlight(code.length)) return undefined;
        context.work = () => spansOf(code, language);
        try {
            // Only a `vm` timeout can stop synchronous code. The context itself isolates nothing.
            return script.runInContext(context, { timeout });
        } catch {
            // Show the diff without colours.
            isTooSlow = true;
            return undefined;
        }
    };
}

type WordDiff = (
    before: string,
    after: string
) => readonly { readonly value: string; readonly added: boolean; readonly removed: boolean }[];

function compare(before: string, after: string, wordDiff: WordDiff): ChangedWords | undefined {
    const longest = Math.max(before.length, after.length);
    if (longest > MAX_COMPARED_LENGTH) return undefined;
    const [removed, added]: [MarkedRange[], MarkedRange[]] = [[], []];
    let [old, fresh, common] = [0, 0, 0];
    for (const part of wordDiff(before, after)) {
        const { length } = part.value;
        if (part.removed) removed.push({ from: old, to: old + length });
        else if (part.added) added.push({ from: fresh, to: fresh + length });
        // Ignore white space: unrelated lines share it too.
        else common += visible(part.value);
        if (!part.added) old += length;
        if (!part.removed) fresh += length;
    }
    const isAlike = common >= MIN_COMMON * Math.max(visible(before), visible(after));
    return isAlike ? { removed, added } : undefined;
}

function visible(text: string): number {
    return text.replace(/\s/g, "").length;
}
