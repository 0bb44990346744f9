import type { ConversationTurn } from "../conversation/turns.js";
import type { ChangeEntry, Entry, JournalRecord, ReviewEntry } from "../../plugin/index.js";

export interface ChangeTurn extends Pick<ConversationTurn, "number" | "question" | "at"> {
    readonly conversationId: string;
}

/** `3fa2c1 #4` */
export function turnName({ conversationId, number }: ChangeTurn): string {
    return `${conversationId} #${number}`;
}

export interface AppliedChange {
    readonly change: ChangeEntry;
    readonly turn: ChangeTurn;
    /** The root at that time. */
    readonly root: string;
    /** The model behind it; absent for the user's undos and drops. */
    readonly model?: string;
    readonly provider?: string;
    readonly decidedBy?: ReviewEntry["decidedBy"];
    /** The lines it added that were whole on the screen before the user said yes. */
    readonly shown?: ReviewEntry["shown"];
    /**
     * `false`: a kill between the announcement and the record, or the log says that it was not
     * made, possibly judged later by files that others had changed. The contents decide.
     */
    readonly isRecorded: boolean;
    /** A part of a draft: the project has it only if a later change applies it. */
    readonly isDrafted?: true;
}

/** Prefixes of log lines that are irrelevant to changes, and make up most of a log. */
export const LINES_WITHOUT_CHANGES = [
    '{"type":"entry_updated"',
    '{"type":"entry_added","entry":{"kind":"assistant"',
    '{"type":"entry_added","entry":{"kind":"tool_result"',
    '{"type":"entry_added","entry":{"kind":"host_note"',
];

export class AppliedChanges {
    /** Of the project and of drafts, in order. */
    readonly withDrafts: AppliedChange[] = [];
    /** The turn that the log ends with. */
    turn: ChangeTurn = { conversationId: "", number: 0, question: "", at: 0 };
    root = "";
    model: string | undefined;
    private provider = "";
    private readonly decisions = new Map<string, Pick<ReviewEntry, "decidedBy" | "shown">>();
    private readonly announced = new Map<string, number>();

    constructor(records: readonly JournalRecord[]) {
        for (const record of records) this.apply(record);
    }

    /** Of the project. */
    get all(): readonly AppliedChange[] {
        return this.withDrafts.filter(({ isDrafted }) => !isDrafted);
    }

    private apply(record: JournalRecord): void {
        switch (record.type) {
            case "conversation_started":
                this.root = record.root;
                this.model = record.model;
                this.provider = record.provider;
                this.turn = { ...this.turn, conversationId: record.id, at: record.at };
                return;
            case "root_changed":
                this.root = record.root;
                return;
            case "model_changed":
                this.model = record.model;
                this.provider = record.provider;
                return;
            case "change_begun":
                this.announced.set(record.change.id, this.withDrafts.length);
                this.withDrafts.push(this.described(record.change, false));
                return;
            case "entry_added":
                return this.add(record.entry);
            default:
                return;
        }
    }

    private add(entry: Entry): void {
        if (entry.kind === "user") {
            const { conversationId, number } = this.turn;
            const { text: question, at } = entry;
            this.turn = { conversationId, number: number + 1, question, at };
        } else if (entry.kind === "review" && entry.status === "approved") {
            const { decidedBy, shown } = entry;
            this.decisions.set(entry.callId, { decidedBy, shown });
        } else if (entry.kind === "change") {
            const index = this.announced.get(entry.id);
            const announced = index === undefined ? undefined : this.withDrafts[index];
            if (index === undefined || !announced) {
                this.withDrafts.push(this.described(entry, true));
            } else {
                // Keeps its announced position: it may have been recorded only after a kill.
                this.withDrafts[index] = { ...announced, change: entry, isRecorded: true };
            }
            this.approveDrafted(entry);
        } else if (entry.kind === "drafted") {
            const { isRebase: _, ...change } = entry;
            const described = this.described({ ...change, kind: "change" }, true);
            this.withDrafts.push({ ...described, isDrafted: true });
        }
    }

    /** What was drafted was decided on in the review of the whole draft. */
    private approveDrafted({ callId = "", applies = [] }: ChangeEntry): void {
        const decision = this.decisions.get(callId);
        if (!decision || applies.length === 0) return;
        for (const [index, each] of this.withDrafts.entries()) {
            if (!applies.includes(each.change.id)) continue;
            this.withDrafts[index] = { ...each, decidedBy: decision.decidedBy };
        }
    }

    private described(change: ChangeEntry, isRecorded: boolean): AppliedChange {
        const { turn, root, model, decisions } = this;
        if (change.callId === undefined) return { change, turn, root, isRecorded };
        const origin = {
            ...(model !== undefined && { model, provider: this.provider }),
            ...decisions.get(change.callId),
        };
        return { change, turn, root, ...origin, isRecorded };
    }
}

/** Merges the changes of several conversations by time, keeping the order within each log. */
export function mergeByTime(conversations: readonly (readonly AppliedChange[])[]): AppliedChange[] {
    const stamped = conversations.flatMap((changes) => {
        let at = 0;
        return changes.map((change) => {
            // The clock may have been set back.
            at = Math.max(at, change.change.at);
            return { change, at };
        });
    });
    return stamped.sort((one, other) => one.at - other.at).map(({ change }) => change);
}
