import path from "node:path";
import { runInNewContext } from "node:vm";

import type { ChangeSet } from "../../../plugin/index.js";
import { loadCodeSpans, type CodeSpan, type CodeSpans } from "../code-colours.js";
import { showControls } from "../../../base/safe-text.js";
import type { Theme } from "../../terminal/theme.js";

export interface Range {
    readonly from: number;
    readonly to: number;
}

export type Side = "before" | "after";

export interface ChangedWords {
    readonly removed: readonly Range[];
    readonly added: readonly Range[];
}

/** What the colours of a diff tell beyond which lines were added and removed. */
export interface DiffDetails {
    /** What is new in two lines that are alike; `undefined` for others. */
    compare(before: string, after: string): ChangedWords | undefined;
    /** What a line, counted from 1, is made of; `undefined` where that is not known. */
    code(file: string, side: Side, line: number): readonly CodeSpan[] | undefined;
}

/** Longer files have no colours of their own. */
const LONGEST_FILE = 200_000;
/** Lines with a smaller share of their characters in common are different lines. */
const LEAST_COMMON = 0.4;
const LONGEST_COMPARED = 500;
/** Characters of a change whose code is highlighted, and whose lines are compared: a moment's work each. */
const MOST_HIGHLIGHTED = 300_000;
const MOST_COMPARED = 100_000;
/** There are texts for which the highlighter takes minutes. */
const TIME_LIMIT_MS = 1_000;

/** Loads what a diff's colours tell; nothing where there are no colours. */
export async function loadDiffDetails(
    changeSet: ChangeSet,
    theme: Theme,
    timeLimitMs = TIME_LIMIT_MS
): Promise<DiffDetails | undefined> {
    if (theme.isPlain) return undefined;
    const { diffWordsWithSpace } = await import("diff");
    const spansOf = limited(await loadCodeSpans(), timeLimitMs);
    const mayCompare = budget(MOST_COMPARED);
    const known = new Map<string, readonly (readonly CodeSpan[])[]>();
    // Whole files: where a line begins, a comment or a text may be open from far above.
    const linesOf = (file: string, side: Side): readonly (readonly CodeSpan[])[] => {
        const key = `${side} ${file}`;
        const lines = known.get(key) ?? linesIn(readFile(changeSet, file, side), file, spansOf);
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

function readFile({ changes }: ChangeSet, file: string, side: Side): string {
    const content = changes.find((change) => change.path === file)?.[side];
    if (!content || content.byteLength > LONGEST_FILE) return "";
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

/** Grants amounts until they add up to more than the whole: by size, so that every machine shows the same. */
function budget(whole: number): (amount: number) => boolean {
    let left = whole;
    return (amount) => {
        if (amount > left) return false;
        left -= amount;
        return true;
    };
}

/** The same for so many characters in all, and until one text takes too long. */
function limited(spansOf: CodeSpans, timeout: number): CodeSpans {
    const mayHighlight = budget(MOST_HIGHLIGHTED);
    let isTooSlow = false;
    return (code, language) => {
        // What a language needs once is not cut short: half of it would be taken for the whole.
        if (isTooSlow || !spansOf("", language) || !mayHighlight(code.length)) return undefined;
        const work = () => spansOf(code, language);
        try {
            // Nothing else stops code that does not come back; the context itself is of no use.
            return runInNewContext("work()", { work }, { timeout });
        } catch {
            // Colours are no reason to show no diff.
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
    if (longest > LONGEST_COMPARED) return undefined;
    const [removed, added]: [Range[], Range[]] = [[], []];
    let [old, fresh, common] = [0, 0, 0];
    for (const part of wordDiff(before, after)) {
        const { length } = part.value;
        if (part.removed) removed.push({ from: old, to: old + length });
        else if (part.added) added.push({ from: fresh, to: fresh + length });
        // Indents and the spaces between words are alike in lines that are not.
        else common += visible(part.value);
        if (!part.added) old += length;
        if (!part.removed) fresh += length;
    }
    const isAlike = common >= LEAST_COMMON * Math.max(visible(before), visible(after));
    return isAlike ? { removed, added } : undefined;
}

function visible(text: string): number {
    return text.replace(/\s/g, "").length;
}
