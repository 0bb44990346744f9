import { LINES_WITHOUT_CHANGES } from "../../core/history/applied-changes.js";
import type { ReviewEntry } from "../../plugin/records.js";
import { projectLogs } from "./project-changes.js";

/** What was decided about a command that was to run for real, in all conversations of a project. */
export interface PastCommand {
    readonly command: string;
    /** By hand, once each time. */
    readonly approved: number;
    readonly automatic: number;
    readonly denied: number;
    /** Milliseconds since 1970. */
    readonly lastAt: number;
}

/** The one decided about most recently comes first. */
export async function pastCommands(
    dataFolder: string,
    root: string
): Promise<readonly PastCommand[]> {
    const known = new Map<string, PastCommand>();
    for await (const { records } of projectLogs(dataFolder, root, LINES_WITHOUT_CHANGES)) {
        for (const record of records) {
            if (record.type !== "entry_added" || record.entry.kind !== "review") continue;
            const { entry } = record;
            if (entry.subject === "shell") {
                known.set(entry.what, counted(known.get(entry.what), entry));
            }
        }
    }
    return [...known.values()].sort((one, other) => other.lastAt - one.lastAt);
}

function counted(past: PastCommand | undefined, entry: ReviewEntry): PastCommand {
    const { what: command, status, decidedBy, at } = entry;
    const { approved = 0, automatic = 0, denied = 0, lastAt = 0 } = past ?? {};
    const isDenied = status === "denied";
    const isByHand = !isDenied && decidedBy === "user";
    return {
        command,
        approved: approved + (isByHand ? 1 : 0),
        automatic: automatic + (!isDenied && !isByHand ? 1 : 0),
        denied: denied + (isDenied ? 1 : 0),
        lastAt: Math.max(lastAt, at),
    };
}
