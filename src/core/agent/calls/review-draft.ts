import { counted } from "../../../base/format.js";
import { findingLine } from "../../../plugin/change-set.js";
import type { ChangeSet } from "../../../plugin/index.js";
import type { FileDiff } from "../../diff/diff.js";
import type { RequestOf } from "../../approval/approver.js";
import { whyAlwaysAsked } from "../../approval/policy.js";
import { draftFacts } from "../changes/draft-facts.js";
import {
    applyDraft,
    discardDraft,
    draftProposal,
    OUTPUTS_DROPPED,
    type DraftSettlingPlace,
    rebaseDraft,
} from "../changes/settle-draft.js";
import { type DraftPlace, newEntry, type RebasedDraft, type Turn } from "../turn.js";
import { recordDecision } from "./authorize.js";
import type { Outlet } from "./relay.js";

/** How a review of the draft ended; `to-resolve`: the model is to resolve conflicts in it. */
export type DraftReview = "applied" | "discarded" | "kept" | "to-resolve";

const LEAVE = "Leave the draft as it is";
const RESOLVE = "Let the model resolve them";

/**
 * Asks about the whole draft and does what the user decides. Nothing is written that was not
 * shown: if files change during the review, the merged draft is shown again.
 */
export async function reviewDraft(turn: Turn, outlet: Outlet): Promise<DraftReview> {
    const place = settlingPlace(turn);
    if (!place || place.conversation.state.draft.view.size === 0) return "kept";
    const callId = turn.runtime.id();
    let wanted: Wanted | undefined;
    for (;;) {
        const proposal = await draftProposal(place);
        if (proposal.conflicts.length > 0) return askAboutConflicts(turn, place, proposal, outlet);
        const request = await requestFor(turn, place.draft, proposal, callId, wanted);
        const decision = await outlet.ask(request);
        switch (decision.kind) {
            case "modify":
                recordDecision(turn, request, decision, "user", outlet);
                wanted = decision;
                continue;
            case "approve": {
                turn.signal.throwIfAborted();
                recordDecision(turn, request, decision, "user", outlet);
                const outcome = await applyDraft(place, request.changeSet, callId);
                if (outcome.kind === "stale") {
                    wanted = undefined;
                    continue;
                }
                if (wanted) tellModel(turn, wanted);
                const dropped = outcome.dropped ? ` ${OUTPUTS_DROPPED}` : "";
                const text = `Draft applied: ${sizeOf(request.diffs)}.${dropped}`;
                outlet.emit({ type: "notice", text });
                return "applied";
            }
            case "discard":
                await discardDraft(place);
                outlet.emit({ type: "notice", text: "Draft discarded. /undo brings it back." });
                return "discarded";
            default:
                outlet.emit({ type: "notice", text: keptText(request.diffs) });
                return "kept";
        }
    }
}

/** What the user made of the draft. */
interface Wanted {
    readonly changeSet: ChangeSet;
    readonly hunks?: readonly string[];
    readonly reason?: string;
}

function settlingPlace(turn: Turn): DraftSettlingPlace | undefined {
    const { project, conversation, runtime } = turn;
    return project.draft && { draft: project.draft, project, conversation, runtime };
}

async function requestFor(
    turn: Turn,
    place: DraftPlace,
    proposal: RebasedDraft,
    callId: string,
    wanted: Wanted | undefined
): Promise<RequestOf<"write">> {
    const changeSet = wanted?.changeSet ?? proposal.changeSet;
    const { diffsOf } = await import("../../diff/diff.js");
    const { merged } = proposal;
    const [findings = [], draft] = await Promise.all([
        turn.checks?.onProposal(changeSet),
        draftFacts(turn.conversation.state.entries, turn.project.readChecks, place, {
            merged,
            isAltered: wanted !== undefined,
        }),
    ]);
    const alwaysAsks = whyAlwaysAsked(changeSet, turn.runGrants);
    const warnings = [
        ...(merged.length > 0 ? [`Merged with changes made since: ${merged.join(", ")}.`] : []),
        ...findings.map(findingLine),
    ];
    return {
        kind: "write",
        ...{ callId, intent: "Applying the draft", changeSet, diffs: diffsOf(changeSet), draft },
        ...(alwaysAsks !== undefined && { alwaysAsks }),
        ...(warnings.length > 0 && { findings: warnings }),
    };
}

/** Tells the model with the next message what it will not find in the project. */
function tellModel({ conversation, runtime }: Turn, { hunks, reason }: Wanted): void {
    const kept = hunks === undefined ? "the user's own version" : `only ${hunks.join(", ")}`;
    const why = reason === undefined ? "" : ` Reason: ${reason}`;
    const told = `The user applied ${kept} of the draft and refused the rest.${why}`;
    const command = { kind: "command", name: "draft", argumentsText: "apply", told } as const;
    conversation.record({ type: "entry_added", entry: newEntry(runtime, command) });
}

/** Lists what conflicts; nothing is written. */
async function askAboutConflicts(
    turn: Turn,
    place: DraftSettlingPlace,
    { conflicts, ...rebased }: RebasedDraft,
    outlet: Outlet
): Promise<DraftReview> {
    const files = [...new Set(conflicts.map(({ path }) => path))];
    const title = `The draft conflicts with changes made since in ${counted(files.length, "file")}. Nothing was written.`;
    const listed = conflicts.map(({ text }) => text).join("\n");
    outlet.emit({ type: "notice", text: `${title}\n${listed}` });
    const answer = await outlet.askQuestion?.({
        asker: "draft",
        title: `Resolve ${counted(conflicts.length, "conflict")}?`,
        choices: [LEAVE, RESOLVE],
        allowText: false,
    });
    if (answer !== RESOLVE) return "kept";
    await rebaseDraft(place, rebased);
    return "to-resolve";
}

function keptText(diffs: readonly FileDiff[]): string {
    return `The draft is kept: ${sizeOf(diffs)}. /draft shows it.`;
}

/** `5 files +120 -34` */
function sizeOf(diffs: readonly FileDiff[]): string {
    const sum = (key: "linesAdded" | "linesRemoved") =>
        diffs.reduce((total, diff) => total + diff[key], 0);
    return `${counted(diffs.length, "file")} +${sum("linesAdded")} -${sum("linesRemoved")}`;
}
