import { northCommand } from "../../base/north-command.js";
import { counted } from "../../base/format.js";
import { isExpectedError } from "../../base/north-error.js";
import { visibleLine } from "../../base/safe-text.js";
import { canAsk, inTerminal } from "../../chat/questions/ask-in-terminal.js";
import { confirmChanges } from "../../chat/questions/confirm.js";
import type { Prompt } from "../../chat/questions/question.js";
import { askAboutUnseen, fittingLines, namedLines } from "../../chat/questions/unseen-question.js";
import { turnName } from "../../core/history/applied-changes.js";
import { marksOf, type ModelLine, runsOf } from "../../core/history/seen-lines.js";
import { createSeenMarks } from "../../storage/seen-marks.js";
import { prepareLineDrop } from "./drop-lines.js";
import type { ModelLines } from "./model-lines.js";
import { withUndoHost } from "./undo-conversation.js";
import {
    findModelLines,
    howWritten,
    reasonFor,
    type UnseenReport,
    unseenLines,
} from "./unseen-lines.js";

type UnseenLine = ModelLines["files"][number]["lines"][number];

interface Piece {
    readonly path: string;
    readonly lines: readonly [UnseenLine, ...UnseenLine[]];
    readonly left: number;
}

/** The unseen lines of a branch, once those that its user sees now are marked. */
export async function reviewUnseen(
    { dataFolder, folder = process.cwd() }: { dataFolder: string; folder: string | undefined },
    base: string | undefined,
    isAsked: boolean
): Promise<UnseenReport> {
    if (isAsked && canAsk()) await walkUnseen(dataFolder, folder, base);
    return unseenLines(dataFolder, folder, base);
}

/** Walks through the unseen lines of a branch in the terminal. Rejects like `modelLines`. */
async function walkUnseen(
    dataFolder: string,
    folder: string,
    base: string | undefined
): Promise<void> {
    let found = await findModelLines(dataFolder, folder, base);
    const passed = new Set<string>();
    const marks = createSeenMarks(dataFolder, found.root);
    const { stdout } = process;
    await inTerminal(process, async (prompt, signal) => {
        for (;;) {
            const size = { columns: stdout.columns || 80, rows: stdout.rows || 24 };
            const piece = nextPiece(found, passed, size);
            if (!piece || signal.aborted) return;
            const { path, lines, left } = piece;
            const { change } = lines[0].origin;
            const by = `${turnName(change.turn)}, ${howWritten(change)}`;
            const answer = await askAboutUnseen(prompt, { path, lines, by, left }, signal);
            const where = `${namedLines(lines)} of ${visibleLine(path)}`;
            if (answer.kind === "quit") return;
            if (answer.kind === "why") {
                prompt.view.print(reasonFor(change));
                continue;
            }
            for (const line of lines) passed.add(keyOf(line));
            if (answer.kind === "seen") {
                const seen = lines.filter(({ line }) => answer.lines.has(line));
                for (const mark of marksOf(seen)) marks.add(mark);
                const more = lines.length - seen.length;
                const rest = more > 0 ? `, ${counted(more, "line")} not fully shown` : "";
                prompt.view.print(`✔ Seen ${where}${rest}`);
            } else if (
                answer.kind === "drop" &&
                (await drop(dataFolder, found.root, piece, prompt, signal))
            ) {
                found = await findModelLines(dataFolder, folder, base);
            }
        }
    });
}

/** The first unseen lines that were not passed, as many as the window shows whole. */
function nextPiece(
    { files }: ModelLines,
    passed: ReadonlySet<string>,
    size: Parameters<typeof fittingLines>[1]
): Piece | undefined {
    const pieces = files.flatMap(({ path, lines }) => {
        const unseen = lines.filter((line) => !line.isSeen && !passed.has(keyOf(line)));
        return runsOf(unseen).map((run) => ({ path, run }));
    });
    const left = pieces.reduce((sum, { run }) => sum + run.length, 0);
    const [next] = pieces;
    if (!next) return undefined;
    const [first, ...rest] = fittingLines(next.run, size);
    return first && { path: next.path, lines: [first, ...rest], left };
}

function keyOf({ origin: { change, path, line } }: ModelLine): string {
    return JSON.stringify([change.turn.conversationId, change.change.id, path, line]);
}

/** Shows what a drop would change and asks. Resolves with whether it was done. */
async function drop(
    dataFolder: string,
    root: string,
    { path, lines: [first, ...rest] }: Piece,
    prompt: Prompt,
    signal: AbortSignal
): Promise<boolean> {
    try {
        const id = first.origin.change.turn.conversationId;
        return await withUndoHost(dataFolder, { id, path: root }, async (host) => {
            const origins = [first.origin, ...rest.map(({ origin }) => origin)] as const;
            const { changeSet, apply } = await prepareLineDrop(host, path, origins);
            if (!(await confirmChanges(prompt, "Drop these lines?", changeSet, signal))) {
                return false;
            }
            await apply();
            prompt.view.print(`Dropped. \`${northCommand()} undo\` reverses it.`);
            return true;
        });
    } catch (error) {
        if (!isExpectedError(error)) throw error;
        prompt.view.print([error.message, ...error.nextSteps].join("\n"));
        return false;
    }
}
