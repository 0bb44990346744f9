import { inColumns } from "../../base/columns.js";
import { firstWords, localMinute } from "../../base/format.js";
import { visibleLine } from "../../base/safe-text.js";
import type { TurnOfChange } from "../../core/history/applied-changes.js";
import type { BlamedFile, BlamedLine, LineByNorth } from "./blame-file.js";

/** Each line with its origin before it, and the turns it names below. */
export function blameText({ lines }: BlamedFile): string {
    const rows = lines.map((line) => [
        String(line.line),
        ...originCells(line),
        visibleLine(line.text),
    ]);
    const turns = new Map<string, LineByNorth>();
    for (const { north } of lines) if (north) turns.set(turnName(north.turn), north);
    const legend = [...turns].map(([name, { model, turn }]) =>
        [name, model ?? "you", firstWords(turn.question)].map(visibleLine)
    );
    const parts = [inColumns(rows, { right: [0] }), inColumns(legend)];
    return parts
        .filter((part) => part.length > 0)
        .map((part) => part.join("\n"))
        .join("\n\n");
}

function originCells({ north, git }: BlamedLine): readonly [string, string, string] {
    if (north) {
        const { turn, at, approvedBy, command } = north;
        const how = command === undefined ? approvedBy : `${approvedBy}, contained`;
        return [turnName(turn), localMinute(at), how];
    }
    if (git) return [`git ${git.commit}`, localMinute(git.at), visibleLine(git.author)];
    return ["not North", "", ""];
}

/** `3fa2c1 #4` */
function turnName({ conversationId, number }: TurnOfChange): string {
    return `${conversationId} #${number}`;
}
