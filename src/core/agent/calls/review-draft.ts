import { asSentence, counted } from "../../../base/format.js";
import { findingLine } from "../../../plugin/change-set.js";
import type { ChangeSet } from "../../../plugin/index.js";
import type { RequestOf } from "../../approval/approver.js";
import { whyAlwaysAsked } from "../../approval/policy.js";
import { draftFacts, sizeOf } from "../changes/draft-facts.js";
import {
    applyDraft,
    BOTH_SIDES,
    conflictsText,
    discardDraft,
    draftProposal,
    type DraftProposal,
    type DraftSettlingPlace,
    keepVersion,
    rebaseDraft,
} from "../changes/settle-draft.js";
import { addEntry, type DraftPlace, type RebasedDraft, type Turn } from "../turn.js";
import { recordDecision } from "./authorize.js";
import type { Outlet } from "./relay.js";

/** `resolve`: what to tell the model if it must resolve conflicts. */
type DraftReview =
    | { readonly kind: "applied-as-drafted" | "other" }
    | { readonly kind: "resolve"; readonly told: string };

const OTHER: DraftReview = { kind: "other" };

/**
 * Asks about the whole draft and does what the user decides. Nothing is written that was not
 * shown: if files change during the review, the merged draft is shown again.
 */
export async function reviewDraft(turn: Turn, outlet: Outlet): Promise<DraftReview> {
    const place = settlingPlace(turn);
    if (!place) return OTHER;
    const callId = turn.runtime.id();
    let wanted: Wanted | undefined;
    const keepWanted = async () => wanted && keep(turn, place, wanted);
    for (;;) {
        const proposal = await draftProposal(place);
        if (!proposal) return OTHER;
        const { outputs } = proposal;
        if (proposal.conflicts.length > 0) {
            if (!wanted) return askAboutConflicts(place, proposal, callId, outlet);
            // What the user refused must not come back with the conflicts.
            await keepWanted();
            wanted = undefined;
            continue;
        }
        const request = await requestFor(turn, place.draft, proposal, callId, wanted);
        const decision = await outlet.ask(request).catch(async (error: unknown) => {
            await keepWanted();
            throw error;
        });
        switch (decision.kind) {
            case "modify":
                recordDecision(turn, request, decision, "user", outlet);
                wanted = {
                    ...{ proposal, ...wanted, ...decision },
                    reason: decision.reason ?? wanted?.reason,
                };
                continue;
            case "approve": {
                turn.signal.throwIfAborted();
                recordDecision(turn, request, decision, "user", outlet);
                const { changeSet } = request;
                const outcome = await applyDraft(place, { changeSet, outputs }, callId);
                if (outcome.kind === "stale") {
                    await keepWanted();
                    wanted = undefined;
                    continue;
                }
                if (wanted) tellModel(turn, wanted, "applied");
                const text = `Draft applied: ${sizeOf(request.diffs)}.`;
                outlet.emit({ type: "notice", text: [text, ...(outcome.notes ?? [])].join(" ") });
                return wanted ? OTHER : { kind: "applied-as-drafted" };
            }
            case "discard":
                await discardDraft(place);
                outlet.emit({ type: "notice", text: "Draft discarded. /undo brings it back." });
                return OTHER;
            default:
                await keepWanted();
                outlet.emit({ type: "notice", text: keptText(request, wanted) });
                return OTHER;
        }
    }
}

/** What the user made of the draft. */
interface Wanted {
    /** What it was made of; the project may have changed since. */
    readonly proposal: DraftProposal;
    readonly changeSet: ChangeSet;
    readonly hunks?: readonly string[];
    readonly reason?: string | undefined;
}

async function keep(turn: Turn, place: DraftSettlingPlace, wanted: Wanted): Promise<void> {
    await keepVersion(place, wanted.proposal, wanted.changeSet);
    tellModel(turn, wanted, "kept");
}

function settlingPlace(turn: Turn): DraftSettlingPlace | undefined {
    const { project, conversation, runtime } = turn;
    return project.draft && { draft: project.draft, project, conversation, runtime };
}

async function requestFor(
    turn: Turn,
    place: DraftPlace,
    proposal: DraftProposal,
    callId: string,
    wanted: Wanted | undefined
): Promise<RequestOf<"write">> {
    const changeSet = { ...proposal.changeSet, ...wanted?.changeSet };
    const { diffsOf } = await import("../../diff/diff.js");
    const { merged, outputs } = proposal;
    const [findings = [], draft] = await Promise.all([
        turn.checks?.onProposal(changeSet),
        draftFacts(turn.conversation.state.entries, turn.project.readChecks, place, {
            isAltered: wanted !== undefined || merged.length > 0,
        }),
    ]);
    const alwaysAsks = whyAlwaysAsked(changeSet, turn.session.runGrants);
    const warnings = [
        ...(merged.length > 0 ? [`Merged with changes made since: ${merged.join(", ")}.`] : []),
        ...findings.map(findingLine),
    ];
    return {
        kind: "write",
        ...{ callId, changeSet, diffs: diffsOf(changeSet), draft },
        ...(outputs.asked.length > 0 && { look: () => outputs.look() }),
        ...(alwaysAsks !== undefined && { alwaysAsks }),
        ...(warnings.length > 0 && { findings: warnings }),
    };
}

/** Tells the model with the next message what the user refused of the draft. */
function tellModel(turn: Turn, { hunks, reason }: Wanted, fate: "applied" | "kept"): void {
    const wanted = hunks === undefined ? "their own version" : `only these hunks`;
    const named = hunks === undefined ? "" : `: ${hunks.join(", ")}`;
    const why = reason === undefined ? "" : ` Reason: ${asSentence(reason)}`;
    const rest = fate === "applied" ? "" : " Nothing is applied yet; the draft has only that now.";
    const told = `The user ${fate} ${wanted} of the draft${named}.${why}${rest}`;
    addEntry(turn, { kind: "command", name: "draft", argumentsText: "apply", told });
}

/** Lists what conflicts; nothing is written. */
async function askAboutConflicts(
    place: DraftSettlingPlace,
    { conflicts, ...rebased }: RebasedDraft,
    callId: string,
    outlet: Outlet
): Promise<DraftReview> {
    outlet.emit({ type: "notice", text: conflictsText(conflicts) });
    const sentence = `Let the model resolve ${counted(conflicts.length, "conflict")}?`;
    const question = { sentence, key: "draft" };
    const { kind } = await outlet.ask({ kind: "ask", callId, question, isOnce: true });
    if (kind !== "approve") return OTHER;
    await rebaseDraft(place, rebased);
    const told = `${conflictsText(conflicts)}\n${BOTH_SIDES} Resolve them.`;
    return { kind: "resolve", told };
}

function keptText({ diffs }: RequestOf<"write">, wanted: Wanted | undefined): string {
    const what = wanted ? "Your version is the draft now" : "The draft is kept";
    return `${what}: ${sizeOf(diffs)}. /draft shows it.`;
}
