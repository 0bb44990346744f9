import { showControls, visibleLine } from "../../base/safe-text.js";
import { shortenLine } from "../render/fold.js";
import { wrapVerbatim, type VerbatimLine } from "../render/rows.js";
import { askAndView } from "./ask.js";
import { CANCELLED, type Choice, type Prompt, VIEW } from "./question.js";

interface UnseenLines {
    readonly path: string;
    /** Adjacent lines, at least one. */
    readonly lines: readonly { readonly line: number; readonly text: string }[];
    /** Who wrote them, in a few words. */
    readonly by: string;
    /** How many lines are unseen, these included. */
    readonly left: number;
}

const NEXT: Choice = { letter: "n", label: "next" };
const SEEN: Choice = { letter: "s", label: "seen", approves: true };
const DROP: Choice = { letter: "d", label: "drop" };
const WHY: Choice = { letter: "w", label: "why" };
const QUIT: Choice = { letter: "q", label: "quit" };
const KINDS: ReadonlyMap<string, "drop" | "why" | "quit"> = new Map([
    ["d", "drop"],
    ["w", "why"],
    ["q", "quit"],
] as const);

const OTHER_ROWS = 7;

/** The first of these lines that fit the window together, at least one. */
export function fittingLines<Line extends UnseenLines["lines"][number]>(
    lines: readonly Line[],
    { columns, rows }: { readonly columns: number; readonly rows: number }
): readonly Line[] {
    let room = Math.max(1, rows - OTHER_ROWS);
    const end = lines.findIndex((line) => {
        room -= wrapVerbatim(rowOf(line), columns - 1).length;
        return room < 0;
    });
    return end < 0 ? lines : lines.slice(0, Math.max(1, end));
}

/** Asks about lines that no person has seen. */
export async function askAboutUnseen(
    prompt: Prompt,
    { path, lines, by, left }: UnseenLines,
    signal: AbortSignal
): Promise<
    /** `lines`: the numbers of those that were whole on the screen. */
    | { readonly kind: "seen"; readonly lines: ReadonlySet<number> }
    | { readonly kind: "drop" | "why" | "next" | "quit" }
> {
    const shown = new Set<number>();
    const body = lines.map((line) => ({ ...rowOf(line), added: [{ path, line: line.line }] }));
    const add = (rows: readonly VerbatimLine[]) => {
        for (const { line } of rows.flatMap(({ added = [] }) => added)) shown.add(line);
    };
    const question = {
        title: `Mark ${namedLines(lines)} of ${visibleLine(path)} as seen?`,
        subtitle: `${visibleLine(by)} · ${left} unseen`,
        body,
        choices: [NEXT, SEEN, DROP, WHY, VIEW, QUIT],
        onShown: add,
        onPrinted: () => add(body),
    };
    const answer = await askAndView(prompt, question, signal, () =>
        lines.map(({ line, text }) => `${line} ${showControls(text)}`)
    );
    if (answer === CANCELLED) return { kind: "quit" };
    if (answer.letter === "s") return { kind: "seen", lines: shown };
    return { kind: KINDS.get(answer.letter) ?? "next" };
}

/** `lines 3-9`, `line 3` */
export function namedLines(lines: UnseenLines["lines"]): string {
    const [first, last] = [lines[0]?.line ?? 0, lines.at(-1)?.line ?? 0];
    return first === last ? `line ${first}` : `lines ${first}-${last}`;
}

function rowOf({ line, text }: UnseenLines["lines"][number]): VerbatimLine {
    const { text: shown, hiddenCharacters } = shortenLine(showControls(text));
    const lead = `${String(line).padStart(4)} `;
    return { text: lead + shown, indent: lead.length, hiddenCharacters };
}
