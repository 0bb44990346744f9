import path from "node:path";
import { counted } from "../../base/format.js";
import { leavesFolder } from "../../base/paths.js";
import { visibleLine } from "../../base/safe-text.js";
import type { RequestOf } from "./approver.js";

export function commandNotes({
    by,
    unseenFiles = 0,
    needs,
    wanted,
    variables = [],
}: RequestOf<"shell">): readonly string[] {
    return [
        ...askedBy(by),
        ...(unseenFiles > 0
            ? [`It does not see the draft (${counted(unseenFiles, "file")}).`]
            : []),
        ...(needs === undefined ? [] : [`${visibleLine(needs)}.`]),
        ...(wanted === undefined ? [] : [saidByModel(wanted)]),
        ...(variables.length > 0 ? ["It runs with what earlier commands set."] : []),
    ];
}

export function askedBy(by: string | undefined): readonly string[] {
    return by === undefined ? [] : [`Asked by a sub-agent: ${visibleLine(by)}.`];
}

/** The model's reason, without blanks that push it to where a line of North's would begin. */
export function saidByModel(wanted: string): string {
    return `The model says: ${visibleLine(wanted).replace(/ {2,}/g, " ")}`;
}

/** One of `SetVariables.shown` as a line of the question. */
export function variableLine(assignment: string): string {
    return `with ${visibleLine(assignment)}`;
}

/** Where a command runs. `said` follows its name, empty at the root. */
export function folderOf(root: string, cwd: string) {
    const relative = path.relative(root, cwd);
    const isOutside = leavesFolder(relative);
    const said = relative === "" ? "" : ` in ${visibleLine(isOutside ? cwd : relative)}`;
    return { relative, isOutside, said };
}
