import { changesText } from "../../chat/print-changes.js";
import { counted } from "../../base/format.js";
import type { Replayed } from "./replay.js";

/** How a replay went, with the difference as a diff. */
export async function replayText(
    { turns, calls, notRun, difference }: Replayed,
    output: NodeJS.WriteStream,
    environment: NodeJS.ProcessEnv
): Promise<string> {
    const left = notRun > 0 ? ` ${counted(notRun, "call")} could not be repeated.` : "";
    if (!difference) {
        return `Equal: ${counted(turns, "turn")}, ${counted(calls, "call")} repeated.${left}`;
    }
    const { turn, call, kind, recorded, replayed } = difference;
    const what = {
        result: "has a different result",
        files: "wrote different files",
        missing: "was not repeated",
    };
    const [before, after] = [recorded, replayed].map((value) => Buffer.from(textOf(value)));
    const change = { path: call, before: before ?? null, beforeHash: null, after: after ?? null };
    return [
        `First difference: in turn ${turn} the call "${call}" ${what[kind]}.${left}`,
        await changesText({ changes: [change] }, output, environment),
    ].join("\n");
}

/** With the lines of long texts as lines, so that a diff can tell them apart. */
function textOf(value: unknown): string {
    const text = typeof value === "string" ? value : JSON.stringify(value, null, 2);
    return `${text.replaceAll("\\n", "\n")}\n`;
}
