import { counted, truncate } from "../../base/format.js";
import { Once } from "../../base/once.js";
import type { ToolResult } from "../../plugin/index.js";
import { reminder } from "../message/reminder.js";
import type { Staging } from "./staging.js";
import { cutLineOf } from "./streamed-file.js";

/** Lines of the text shown to the model so that it can continue. */
const SHOWN_LINES = 30;
const SHOWN_CHARACTERS = 1_000;

export function outcomeNote(path: string, result: ToolResult): string {
    const told = result.ok ? { ok: true, data: result.data } : { ok: false, error: result.error };
    return reminder(`NORTH_FILE ${path}: ${JSON.stringify(told)}`);
}

export function continuationNote(path: string, text: string): string {
    return reminder(
        `Your reply ended before the closing tag of ${path}. ${soFar(text)} ` +
            `Continue now with what is missing, nothing else:\n${howToContinue(path, text)}`
    );
}

/** Reminds the model later of an unfinished file. */
function unfinishedNote(path: string, text: string): string {
    return (
        `A streamed file is unfinished: ${path} is not in the repository yet. ${soFar(text)} ` +
        `If it is still wanted, continue it in agent mode:\n${howToContinue(path, text)}\n` +
        "Empty tags submit it for review as it is."
    );
}

export function unfinishedNotice(path: string, text: string, staging: Staging): string {
    return (
        `${path} is not finished and not in the repository: ${countLines(text)} kept in ` +
        `${staging.place(path)}. Ask the model to continue it, or take it from there.`
    );
}

function soFar(text: string): string {
    const lines = text.split("\n").slice(0, -1);
    if (lines.length === 0) return "None of it has arrived yet.";
    const shown = lines.slice(-SHOWN_LINES).map((line) => truncate(line, SHOWN_CHARACTERS));
    return `It has ${countLines(text)} so far; the last whole ones:\n${shown.join("\n")}\n(end)`;
}

function howToContinue(path: string, text: string): string {
    const cut = cutLineOf(text);
    const first =
        cut === ""
            ? "the next line"
            : `this line, which was cut off: ${truncate(cut, SHOWN_CHARACTERS)}`;
    return (
        `<NORTH_FILE path="${path}" mode="append"> on a line of its own, then the rest, ` +
        `beginning with ${first}\nand at the end </NORTH_FILE> on a line of its own.`
    );
}

function countLines(text: string): string {
    return counted(text.split("\n").length - (cutLineOf(text) === "" ? 1 : 0), "line");
}

/** Unfinished streamed files of a conversation, for notes to the model. */
export class UnfinishedFiles {
    private readonly told = new Once();

    /** Notes for the model: each text once, and again after it has grown. */
    notes(staging: Staging): readonly string[] {
        return unfinishedIn(staging).flatMap(({ path, text }) => {
            const state = `${staging.place(path)}:${text.length}`;
            return this.told.first(state) ? unfinishedNote(path, text) : [];
        });
    }
}

export function unfinishedNotices(staging: Staging): readonly string[] {
    return unfinishedIn(staging).map(({ path, text }) => unfinishedNotice(path, text, staging));
}

function unfinishedIn(staging: Staging): readonly { path: string; text: string }[] {
    return staging.paths().flatMap((path) => {
        const text = staging.read(path);
        return text ? { path, text } : [];
    });
}
