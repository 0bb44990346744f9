import { attempt } from "../../base/attempt.js";
import { isFields } from "../../base/fields.js";
import type { ToolResultEntry } from "../../plugin/index.js";

/** Fields that differ between runs, outputs that git ignores, and hosts: replays have no network. */
const VOLATILE = new Set("durationMs freshSession outputs cacheFiles findings traffic".split(" "));
/** Fields of contained commands only; a command that ran for real is replayed contained. */
const CONTAINED = new Set(["contained", "because", "effects", "notes"]);

/** Compares two results of one call; `inRecordedRoot` maps the replay's root to the recorded. */
export function compareResults(
    recorded: ToolResultEntry,
    replayed: ToolResultEntry,
    inRecordedRoot: (text: string) => string
) {
    const was = parsed(recorded.content);
    const wasContained = isFields(was) && isFields(was.data) && was.data.contained === true;
    const ignored = wasContained ? VOLATILE : new Set([...VOLATILE, ...CONTAINED]);
    const [before, now] = [
        without(was, ignored),
        without(parsed(inRecordedRoot(replayed.content)), ignored),
    ];
    const isEqual = JSON.stringify(before) === JSON.stringify(now);
    return { recorded: before, replayed: now, isEqual };
}

function without(value: unknown, ignored: ReadonlySet<string>): unknown {
    if (Array.isArray(value)) return value.map((item) => without(item, ignored));
    if (!isFields(value)) return value;
    return Object.fromEntries(
        Object.entries(value)
            .filter(([name]) => !ignored.has(name))
            .map(([name, field]) => [name, without(field, ignored)])
    );
}

function parsed(content: string): unknown {
    return attempt((): unknown => JSON.parse(content), content);
}
