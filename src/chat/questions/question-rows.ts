import { wrapVerbatim, fitRow, type VerbatimLine } from "../render/rows.js";
import { textWidth } from "../terminal/graphemes.js";
import type { Theme } from "../terminal/theme.js";
import { excerptOf, type Excerpt } from "./excerpt.js";
import type { Choice, Question } from "./question.js";

export interface QuestionState {
    /** The letter that Enter takes; the harmless choice if absent. */
    readonly selected?: string | undefined;
    /** The letter was pressed; Enter must confirm it. */
    readonly awaitsEnter?: boolean;
}

interface QuestionSize {
    readonly columns: number;
    readonly rows: number;
}

export interface ShownQuestion {
    readonly rows: readonly string[];
    /** In display order. Only these letters count. */
    readonly offered: readonly Choice[];
    readonly selected: Choice;
    /** The lines of the body that are whole in `rows`. */
    readonly wholeLines: readonly VerbatimLine[];
}

/** Choices in as many rows as they take, in one row by their short labels, or as letters only. */
type ChoiceLayout = "rows" | "short" | "letters";
/** With fewer body rows, several rows of choices shrink to one. */
const MIN_BODY_ROWS = 6;
/** From this height on, an empty row precedes the question. */
const MIN_ROWS_FOR_SPACE = 10;
const BETWEEN = " · ";

/**
 * The display rule of every question at every size: a choice with an effect is offered only if the
 * start, the end and the size of what it decides are shown, and it names what is not shown.
 */
export function showQuestion(
    question: Question,
    state: QuestionState,
    { columns, rows: maxRows }: QuestionSize,
    theme: Theme
): ShownQuestion {
    const width = columns - 1;
    const { title, subtitle = "", body = [], warnings = [], hint } = question;
    const long = `? ${title} ${subtitle}`.trimEnd();
    const head = wrapVerbatim(
        { text: textWidth(long) <= width ? long : `? ${title}`, indent: 2 },
        width
    );
    const warned = warnings.flatMap((text) =>
        wrapVerbatim({ text: `  ! ${text}`, indent: 4 }, width)
    );
    const fixed = head.length + warned.length;
    const attempts = [
        ...question.choices.map((_, index) => ["rows", index + 1] as const),
        ...(["short", "letters"] as const).map((layout) => [layout, 1] as const),
    ];
    for (const [layout, choiceRows] of attempts) {
        const room = maxRows - fixed - choiceRows;
        const excerpt = excerptOf(body, width, Math.max(0, room));
        const isRepresentative = excerpt.isRepresentative && room >= 0;
        const offered = offeredChoices(question, excerpt, isRepresentative);
        const selected =
            offered.find(({ letter }) => letter === state.selected) ?? firstOf(offered);
        const choices = choicesAs(layout, offered, selected, state, width);
        const isCramped =
            choiceRows > 1 &&
            !excerpt.isWhole &&
            (excerpt.rows.length < MIN_BODY_ROWS ||
                excerptOf(body, width, room + choiceRows - 1).isWhole);
        const fits = choices.length <= choiceRows && isRepresentative && !isCramped;
        if (!fits && layout !== "letters") continue;
        const spare = maxRows - fixed - excerpt.rows.length - choices.length;
        const hinted = wrapVerbatim({ text: `  ${hint ?? ""}`, indent: 2 }, width);
        const hintRows = hint !== undefined && hinted.length < spare ? hinted : [];
        const space = maxRows >= MIN_ROWS_FOR_SPACE && spare > hintRows.length ? [""] : [];
        const shown = [
            ...space,
            ...head.map((row, index) =>
                index === 0 ? `${theme.question(row.slice(0, 1))}${row.slice(1)}` : row
            ),
            ...excerpt.rows,
            ...warned.map((row) => theme.warning(row)),
            ...hintRows.map((row) => theme.quiet(row)),
            ...choices.map((row) => theme.question(row)),
        ];
        // Keep the end: in the smallest windows the choices matter most.
        const wholeLines = shown.length > maxRows ? [] : excerpt.wholeLines;
        return { rows: shown.slice(-maxRows), offered, selected, wholeLines };
    }
    throw new Error("A question has no layout.");
}

function offeredChoices(
    { choices, isViewed = false, body = [], omitted, hasDetails }: Question,
    { hidden }: Excerpt,
    isRepresentative: boolean
): readonly Choice[] {
    const missing = [hidden, omitted].filter((words) => words !== undefined).join(" and ");
    const isWhole = missing === "";
    const named = choices.find(({ approves = false }) => approves);
    const offered = choices
        .filter(({ approves = false }) => isRepresentative || !approves)
        .filter(({ letter }) => letter !== "v" || hasDetails || (body.length > 0 && !isWhole))
        .map((choice) =>
            choice === named && !isWhole && !isViewed
                ? { ...choice, label: `${choice.label}, ${missing} not shown` }
                : choice
        );
    const view = offered.find(({ letter }) => letter === "v");
    if (!view) return offered;
    const others = offered.filter((choice) => choice !== view);
    return isViewed || isWhole ? [...others, view] : [view, ...others];
}

function firstOf(offered: readonly Choice[]): Choice {
    const [first] = offered;
    if (!first) throw new Error("A question has no choice that does nothing.");
    return first;
}

function choicesAs(
    layout: ChoiceLayout,
    offered: readonly Choice[],
    selected: Choice,
    { awaitsEnter = false }: QuestionState,
    width: number
): string[] {
    const name = ({ letter, label, short = label }: Choice, isSelected: boolean): string =>
        `${letter} ${layout === "short" ? short : label}${isSelected && awaitsEnter ? " (press Enter)" : ""}`;
    if (layout !== "letters") {
        const rows: string[] = [];
        for (const choice of offered) {
            const isSelected = choice === selected;
            const named = name(choice, isSelected);
            const marked = `${rows.at(-1) ?? ""}${BETWEEN}${isSelected ? `› ${named}` : named}`;
            if (rows.length > 0 && textWidth(marked) <= width) rows[rows.length - 1] = marked;
            else rows.push(fitRow(`${isSelected ? "› " : "  "}${named}`, width));
        }
        return rows;
    }
    const others = offered.filter((choice) => choice !== selected).map(({ letter }) => letter);
    const letters = others.length > 0 ? `${BETWEEN}${others.join(" ")}` : "";
    return [`${fitRow(`› ${name(selected, true)}`, width - textWidth(letters))}${letters}`];
}
