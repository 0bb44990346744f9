import { alignColumns } from "../../base/columns.js";
import { firstOf, firstWords, localMinute } from "../../base/format.js";
import { visibleLine } from "../../base/safe-text.js";
import { turnsOf, type ConversationTurn } from "../../core/conversation/turns.js";
import { LINES_WITHOUT_CHANGES } from "../../core/history/applied-changes.js";
import type { ChangedTurn } from "../../plugin/index.js";
import type { Entry } from "../../plugin/records.js";
import { createConversationStore } from "../../storage/conversations/conversations.js";

/** Turns that changed files, oldest first. */
export function changedTurns(entries: readonly Entry[]): readonly ChangedTurn[] {
    const turns = turnsOf(entries).filter(({ changes }) => changes.length > 0);
    const facts = turns.map(factsOf);
    const lines = alignColumns(facts.map(cells), { right: [0] });
    return facts.map((turn, index) => ({ ...turn, line: lines[index] ?? "" }));
}

function factsOf({ number, question, at, changes, inEffect }: ConversationTurn) {
    const files = changes.flatMap((change) => change.files.map(({ path }) => path));
    const some = inEffect.length > 0 ? ("some" as const) : ("none" as const);
    return {
        turn: number,
        question,
        at,
        files: [...new Set(files)],
        inEffect: inEffect.length === changes.length ? ("all" as const) : some,
    };
}

const NAMED = 3;
const STATE_LABELS = { all: "", some: "partly undone", none: "undone" };

function cells({ turn, question, at, files, inEffect }: Omit<ChangedTurn, "line">): string[] {
    const names = firstOf(files, NAMED);
    const words = firstWords(question);
    return [String(turn), localMinute(at), names, STATE_LABELS[inEffect], words].map(visibleLine);
}

/** Like `changedTurns`, without opening the conversation. Rejects with `no-such-conversation`. */
export async function storedChanges(dataFolder: string, id: string) {
    const skip = LINES_WITHOUT_CHANGES;
    const { records, warnings } = await createConversationStore(dataFolder).read(id, { skip });
    const entries = records.flatMap((record) =>
        record.type === "entry_added" ? record.entry : []
    );
    return { turns: changedTurns(entries), warnings };
}
