import { alignColumns } from "../../base/columns.js";
import { firstOf, firstWords, localMinute } from "../../base/format.js";
import { visibleLine } from "../../base/safe-text.js";
import { turnsOf, type ConversationTurn } from "../../core/conversation/turns.js";
import { type DraftFate, draftFates } from "../../core/conversation/draft-fate.js";
import { LINES_WITHOUT_CHANGES } from "../../core/history/applied-changes.js";
import type { ChangedTurn, Entry } from "../../plugin/index.js";
import { createConversationStore } from "../../storage/conversations/conversations.js";

/** Turns that changed files, oldest first. */
export function changedTurns(entries: readonly Entry[]): readonly ChangedTurn[] {
    const fateOf = draftFates(entries);
    const turns = turnsOf(entries).filter(
        ({ changes, drafted }) => changes.length + drafted.length > 0
    );
    const facts = turns.map((turn) => factsOf(turn, [...new Set(turn.drafted.map(fateOf))]));
    const lines = alignColumns(facts.map(cells), { right: [0] });
    return facts.map((turn, index) => ({ ...turn, line: lines[index] ?? "" }));
}

function factsOf(turn: ConversationTurn, draft: readonly DraftFate[]) {
    const { number, question, at, changes, inEffect, drafted } = turn;
    const edits = drafted.length > 0 ? drafted : changes;
    const files = edits.flatMap((change) => change.files.map(({ path }) => path));
    const left =
        drafted.length > 0
            ? draft.filter((fate) => fate !== "discarded")
            : changes.filter((change) => inEffect.includes(change));
    const isWhole = left.length === (drafted.length > 0 ? draft : changes).length;
    const some = left.length > 0 ? ("some" as const) : ("none" as const);
    return {
        turn: number,
        question,
        at,
        files: [...new Set(files)],
        inEffect: isWhole ? ("all" as const) : some,
        ...(draft.length > 0 && { draft }),
    };
}

const STATE_LABELS = { all: "", some: "partly undone", none: "undone" };

function cells(facts: Omit<ChangedTurn, "line">): string[] {
    const { turn, question, at, files, inEffect, draft } = facts;
    const names = firstOf(files);
    const words = firstWords(question);
    const state = draft?.join(", ") ?? STATE_LABELS[inEffect];
    return [String(turn), localMinute(at), names, state, words].map(visibleLine);
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
