import type { ChangeSet, Question, ShellOutcome, UserQuestion } from "../../plugin/index.js";

/** A file's change as text for a person. */
export interface FileDiff {
    readonly path: string;
    /** Unified diff; a sentence in place of hunks for what is not text. */
    readonly diff: string;
    readonly linesAdded: number;
    readonly linesRemoved: number;
    readonly kind: "created" | "modified" | "deleted";
    /** What no line says: a mode, where a link leads, what an ignored folder holds. */
    readonly note?: string;
}

/** What a command did contained before it was decided on. Nothing of it has happened. */
export interface Trial {
    readonly outcome: ShellOutcome;
    readonly changeSet: ChangeSet;
    readonly diffs: readonly FileDiff[];
    /** What it could not do contained, as an end of "It needs ...". */
    readonly needs?: string;
}

export type ApprovalRequest =
    | {
          readonly kind: "write";
          readonly callId: string;
          readonly intent: string;
          readonly changeSet: ChangeSet;
          readonly diffs: readonly FileDiff[];
          /** What checks have found in it, a line each. */
          readonly findings?: readonly string[];
          /** Why this is asked about, whatever is automatic. */
          readonly alwaysAsks?: string;
          /** The changes are what this command did, contained. */
          readonly command?: string;
      }
    | {
          readonly kind: "shell";
          readonly callId: string;
          readonly command: string;
          /** The absolute folder in which it will really run. */
          readonly cwd: string;
          /** What it could not do contained, as an end of "It needs ...". */
          readonly needs?: string;
          /** No permission counts: what runs for real is asked about. */
          readonly mustAsk?: boolean;
          /** What it would do beyond what is easily taken back: `deletes build/ (14 files)`. */
          readonly consequences: readonly string[];
          /** Runs it contained, to see what it would change; absent where that cannot be done. */
          readonly tryContained?: () => Promise<Trial>;
      }
    | {
          readonly kind: "ask";
          readonly callId: string;
          readonly question: Question;
          /** A yes or no for this moment: there is nothing to remember. */
          readonly isOnce?: true;
      };

export type RequestOf<Kind extends ApprovalRequest["kind"]> = Extract<
    ApprovalRequest,
    { kind: Kind }
>;

export interface AskedQuestion extends UserQuestion {
    readonly asker: string;
}

/** A decision; `session` holds until North ends, `always` in this project. */
export type Decision =
    | { readonly kind: "approve"; readonly remember?: "session" | "always" }
    /** Another change set in place of the one proposed; it is shown again. */
    | {
          readonly kind: "modify";
          readonly changeSet: ChangeSet;
          readonly hunks?: readonly string[];
      }
    | { readonly kind: "deny"; readonly reason?: string };

/**
 * Asks a person. Called for one request at a time, never while output is being printed. Resolves
 * with a denial when the signal aborts. Absent in print mode, which means: deny.
 */
export interface Approver {
    decide(request: ApprovalRequest, signal: AbortSignal): Promise<Decision>;
    /** Asks something that is no decision; `undefined` if it is not answered. */
    answer?(question: AskedQuestion, signal: AbortSignal): Promise<string | undefined>;
}
