import { firstOf, firstWords, localMinute } from "../../base/format.js";
import { AppliedChanges, LINES_WITHOUT_CHANGES } from "../../core/history/applied-changes.js";
import { openDraft } from "../../core/draft/open-draft.js";
import { openStores } from "../open-stores.js";
import { table } from "../table.js";

type LiveSession = Awaited<ReturnType<typeof liveSessions>>[number];

/** Open sessions in the repository around `folder` in which something was said. */
export async function liveSessions(dataFolder: string, folder: string) {
    const { root, conversations } = await openStores(dataFolder, folder);
    const sessions = [];
    for (const { id, process, since } of await conversations.held()) {
        const { records } = await conversations.readAmong(id, { skip: LINES_WITHOUT_CHANGES });
        const history = new AppliedChanges(records);
        const isNested = records.some((record) => "nested" in record && record.nested);
        if (isNested || history.root !== root) continue;
        const { turn, model = "" } = history;
        const files = new Map<string, number>();
        for (const { change } of history.all) {
            if (change.at < since) continue;
            for (const { path } of change.files) files.set(path, change.at);
        }
        const latest = [...files].map(([path, at]) => ({ path, at }));
        latest.sort((one, other) => other.at - one.at);
        const { number, question } = turn;
        const entries = records.flatMap((each) => (each.type === "entry_added" ? each.entry : []));
        const drafted = [...openDraft(entries).view.keys()].sort();
        const facts = { id, process, since, model, turn: number, question };
        sessions.push({ ...facts, files: latest, drafted });
    }
    return sessions.sort((one, other) => one.since - other.since);
}

export function whoText(sessions: readonly LiveSession[]): string {
    if (sessions.length === 0) return "No session is open in this project.";
    const rows = sessions.map(({ id, since, model, turn, question, files, drafted }) => {
        const paths = files.map(({ path }) => path);
        const cells = [id, localMinute(since), model, String(turn)];
        const changed = firstOf(paths);
        const draft = drafted.length > 0 ? `draft: ${firstOf(drafted)}` : "";
        const work = [changed, draft].filter(Boolean).join("; ") || "no file changed";
        return [...cells, work, firstWords(question)];
    });
    return table(["ID", "Since", "Model", { right: "Turn" }, "Files", "First words"], rows);
}
