import type {
    ChangeSet,
    LinesByFile,
    Question,
    ShellOutcome,
    UserQuestion,
} from "../../plugin/index.js";
import type { FileDiff } from "../diff/diff.js";
import type { ContainedOutputs } from "./contained-runs.js";

/** The result of running a command contained before deciding on it. Nothing has been applied. */
export interface TrialRun {
    readonly outcome: ShellOutcome;
    readonly changeSet: ChangeSet;
    readonly diffs: readonly FileDiff[];
    /** What it could not do contained: a sentence without its full stop. */
    readonly needs?: string;
}

export interface DraftFacts {
    /** How its checks went, as a clause: `npm test passed on it`. */
    readonly tested: string;
    /** What its turns have cost in US dollars; `null` if a price is unknown. */
    readonly costUsd: number | null;
}

export type ApprovalRequest = Asked & {
    /** The sub-agent's task on whose behalf it is asked: `task 2`. */
    readonly by?: string;
};

type Asked =
    | {
          readonly kind: "write";
          readonly callId: string;
          readonly changeSet: ChangeSet;
          readonly diffs: readonly FileDiff[];
          /** Findings of checks, one line each. */
          readonly findings?: readonly string[];
          /** Why this is always asked, regardless of automatic approvals. */
          readonly alwaysAsks?: string;
          /** The contained command that made the changes. */
          readonly command?: string;
          /** "Always" remembers these instead of all edits: what it leaves where git ignores it. */
          readonly outputKeys?: readonly string[];
          /** Loads the first files of the outputs and commits, and how many more there are. */
          readonly look?: ContainedOutputs["look"];
          /** What the user may add to the commit's message: `Assisted-by: North:sonnet-5`. */
          readonly trailer?: string;
          /** The change set is the whole draft; a denial leaves it as it is. */
          readonly draft?: DraftFacts;
      }
    | {
          readonly kind: "shell";
          readonly callId: string;
          readonly command: string;
          /** The absolute folder it will really run in. */
          readonly cwd: string;
          /** What it could not do contained: a sentence without its full stop. */
          readonly needs?: string;
          /** Why the model asks for a real run, in its own words. */
          readonly wanted?: string;
          /** Why a permission for it does not count now, as a clause. */
          readonly lapsed?: string;
          /** `NAME=value`: what contained commands set, and approving it passes to this command. */
          readonly variables?: readonly string[];
          /** How many files of the draft it does not see. */
          readonly unseenFiles?: number;
          /** How its contained run went, if it had one. */
          readonly tried?: TrialRun;
          /** Grants do not count: every real run is asked about. */
          readonly mustAsk?: boolean;
          /** What it would do that is hard to undo: `deletes build/ (14 files)`. */
          readonly consequences: readonly string[];
          /** Runs it contained, to show what it would change; absent if that is not possible. */
          readonly tryContained?: () => Promise<TrialRun>;
      }
    | {
          readonly kind: "ask";
          readonly callId: string;
          readonly question: Question;
          /** Applies only now: there is nothing to remember. */
          readonly isOnce?: true;
      };

export type RequestOf<Kind extends ApprovalRequest["kind"]> = Extract<
    ApprovalRequest,
    { kind: Kind }
>;

export interface AskedQuestion extends UserQuestion {
    readonly asker: string;
}

/** A decision; `session` lasts until North quits, `always` for this project. */
export type Decision =
    | {
          readonly kind: "approve";
          readonly remember?: "session" | "always";
          /** Adds the trailer that was offered. */
          readonly withTrailer?: true;
          /** Of a change: the added lines that were whole on the screen. */
          readonly shown?: LinesByFile;
      }
    /** Replaces the proposed change set, which is then shown again. */
    | {
          readonly kind: "modify";
          readonly changeSet: ChangeSet;
          readonly hunks?: readonly string[];
          /** Why the other hunks were refused, in the user's words. */
          readonly reason?: string;
      }
    /** Takes what the command did contained, instead of a real run. */
    | { readonly kind: "contained" }
    /** Reviews the draft first, which a real run does not see: applying all of it approves the run. */
    | { readonly kind: "draft-first" }
    | { readonly kind: "discard" }
    | { readonly kind: "deny"; readonly reason?: string };

/**
 * Asks the user. Called for one request at a time, never while output is printed. Resolves to a
 * denial if the signal aborts. Absent in print mode, which means deny.
 */
export interface Approver {
    decide(request: ApprovalRequest, signal: AbortSignal): Promise<Decision>;
    /** Asks a question that is not a decision; `undefined` if unanswered. */
    answer?(question: AskedQuestion, signal: AbortSignal): Promise<string | undefined>;
}
