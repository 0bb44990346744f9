import { alignColumns } from "../../base/columns.js";
import { counted, firstWords, localMinute } from "../../base/format.js";
import { visibleLine } from "../../base/safe-text.js";
import { type AppliedChange, turnName } from "../../core/history/applied-changes.js";
import { runsOf } from "../../core/history/seen-lines.js";
import { lookingForLines } from "./looking-for-lines.js";
import { type ModelLines, modelLines } from "./model-lines.js";

export interface UnseenReport {
    readonly root: string;
    readonly base?: string;
    readonly modelLines: number;
    readonly unseenLines: number;
    readonly unseen: readonly {
        readonly path: string;
        readonly first: number;
        readonly last: number;
        /** `3fa2c1 #4` */
        readonly turn: string;
        readonly model: string;
        /** Why nobody saw them: `automatic`, `command`, or `not fully shown`. */
        readonly how: string;
    }[];
    readonly warnings: readonly string[];
}

/** The lines of a branch that a model wrote and no person saw. Rejects like `modelLines`. */
export async function unseenLines(
    dataFolder: string,
    folder: string,
    base: string | undefined
): Promise<UnseenReport> {
    return reportOf(await findModelLines(dataFolder, folder, base));
}

/** `modelLines`, with its progress on the terminal. */
export function findModelLines(
    dataFolder: string,
    folder: string,
    base: string | undefined
): Promise<ModelLines> {
    return lookingForLines((onFile) => modelLines(dataFolder, folder, base, onFile));
}

function reportOf({ files, ...project }: ModelLines): UnseenReport {
    const unseen = files.flatMap(({ path, lines }) =>
        runsOf(lines.filter(({ isSeen }) => !isSeen)).flatMap((run) => {
            const [first, last] = [run[0], run.at(-1)];
            if (!first || !last) return [];
            const { change } = first.origin;
            const [turn, model] = [turnName(change.turn), change.model ?? ""];
            const range = { path, first: first.line, last: last.line };
            return [{ ...range, turn, model, how: howWritten(change) }];
        })
    );
    return {
        ...project,
        modelLines: files.reduce((sum, { lines }) => sum + lines.length, 0),
        unseenLines: unseen.reduce((sum, { first, last }) => sum + last - first + 1, 0),
        unseen,
    };
}

/** A row `path:line` for each run of unseen lines, after the counts. */
export function unseenText({ base, modelLines, unseenLines, unseen }: UnseenReport): string {
    const since = base === undefined ? "" : ` since ${base.slice(0, 10)}`;
    const counts = `${counted(modelLines, "line")} by models${since}, ${unseenLines} unseen`;
    const rows = unseen.map(({ path, first, last, turn, model, how }) =>
        [`${path}:${first}`, counted(last - first + 1, "line"), model, turn, how].map(visibleLine)
    );
    const files = new Set(unseen.map(({ path }) => path)).size;
    const where = files > 0 ? ` in ${counted(files, "file")}` : "";
    return [`${counts}${where}`, ...alignColumns(rows)].join("\n");
}

export function howWritten({ decidedBy, change }: AppliedChange): string {
    const how = decidedBy === "user" ? "not fully shown" : "automatic";
    return change.command === undefined ? how : `${how}, command`;
}

/** Which turn wrote lines, and what its user had asked for. */
export function reasonFor(change: AppliedChange): string {
    const { turn, model = "" } = change;
    const command = change.change.command;
    const how = howWritten(change);
    const facts = [turnName(turn), localMinute(change.change.at), model, how].join(" · ");
    const ran = command === undefined ? [] : [`  ran ${firstWords(command)}`];
    return [facts, `  asked: ${firstWords(turn.question)}`, ...ran].map(visibleLine).join("\n");
}
