import { foldersAbove } from "../../base/paths.js";
import { type FileVersion, seenAs, versionAfter, versionBefore, type View } from "../draft/view.js";
import type { AppliedChange, ChangeTurn } from "./applied-changes.js";

/** Versions by path, of files that the conversation touched. */
export type FileVersions = ReadonlyMap<string, FileVersion>;

/** A step of the history: a turn, or edits by others before that turn. */
interface HistoryStep {
    readonly by: "turn" | "others";
    readonly turn: ChangeTurn;
    /** All files the conversation ever touches, after this step. */
    readonly files: FileVersions;
}

export interface History {
    readonly start: FileVersions;
    readonly steps: readonly HistoryStep[];
}

/** The states a conversation's changes went through, by the contents before and after each. */
export function historyOf(changes: readonly AppliedChange[]): History {
    const made = changes.filter(({ isRecorded }) => isRecorded);
    const start = new Map<string, FileVersion>();
    for (const file of made.flatMap(({ change }) => change.files)) {
        if (!start.has(file.path)) start.set(file.path, versionBefore(file));
    }
    const steps: HistoryStep[] = [];
    const now = new Map(start);
    const step = (by: HistoryStep["by"], turn: ChangeTurn) => {
        const last = steps.at(-1);
        if (last?.by === by && last.turn.number === turn.number) steps.pop();
        steps.push({ by, turn, files: new Map(now) });
    };
    for (const { change, turn } of made) {
        const foreign = change.files.filter((file) => now.get(file.path)?.hash !== file.beforeHash);
        for (const file of foreign) now.set(file.path, versionBefore(file));
        if (foreign.length > 0) step("others", turn);
        for (const file of change.files) now.set(file.path, versionAfter(file));
        step("turn", turn);
    }
    return { start, steps };
}

/** Whether something else has replaced a folder above: a link there shows other files. */
export function isCovered(path: string, files: FileVersions): boolean {
    return foldersAbove(path).some((folder) => {
        const version = files.get(folder);
        return version !== undefined && version.hash !== null && version.type !== "folder";
    });
}

/** A state as a run sees it; what the project has in its place now does not matter there. */
export function viewOf(files: FileVersions): View {
    return new Map([...files].map(([path, version]) => [path, seenAs(path, version)]));
}
