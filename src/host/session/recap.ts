import { counted, firstOf, firstWords, formatUsd, localMinute } from "../../base/format.js";
import { turnsOf } from "../../core/conversation/turns.js";
import type { Entry } from "../../plugin/index.js";
import type { HostSession } from "./session.js";

/** After this long, people no longer know where they were. */
const AWAY_MS = 3_600_000;

/** One or two lines of facts for a user who comes back; empty if the last step is recent. */
export async function recap(session: HostSession): Promise<readonly string[]> {
    const { entries, options, services } = session;
    const turns = turnsOf(entries).length - 1;
    const last = entries.at(-1);
    if (turns === 0 || !last || options.runtime.now() - last.at < AWAY_MS) return [];
    const { evidenceOf } = await import("../../core/history/evidence.js");
    const [evidence, costs] = await Promise.all([
        evidenceOf(entries, 0, options.project.readChecks),
        // Best effort, as at each start.
        services.costs.conversation().catch(() => []),
    ]);
    const usd = costs.reduce((sum, { costUsd }) => sum + costUsd, 0);
    const facts = [
        `Last step ${localMinute(last.at)}`,
        counted(turns, "turn"),
        ...(evidence ? [evidence.text] : []),
        ...(usd > 0 ? [formatUsd(usd)] : []),
    ];
    const todos = openTodos(entries);
    return [facts.join(" · "), ...(todos.length > 0 ? [`Open todos: ${firstOf(todos)}`] : [])];
}

/** Only the todo list has a reminder, which is what its display shows. */
function openTodos(entries: readonly Entry[]): readonly string[] {
    const list = entries.findLast(
        (entry) => entry.kind === "tool_result" && entry.reminder !== undefined
    );
    const display = list?.kind === "tool_result" ? (list.display ?? "") : "";
    return display
        .split("\n")
        .flatMap((line) => (line.startsWith("☐ ") ? firstWords(line.slice(2), 60) : []));
}
