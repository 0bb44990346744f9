import type { ChangeSet } from "../plugin/index.js";

/** How applying a change set ended. */
export type ApplyOutcome =
    | {
          readonly kind: "applied";
          /** The version now on the disk; `null` for a deleted file. */
          readonly files: readonly { readonly path: string; readonly hash: string | null }[];
      }
    /** Nothing was written: these files are no longer the ones reviewed. */
    | { readonly kind: "stale"; readonly paths: readonly string[] };

/**
 * Writes reviewed changes. All files or none: each is checked against `beforeHash` and staged
 * before the first is replaced, and what was replaced is put back when a later one fails. Rejects
 * with an `ExpectedError` (`outside-repository`, `protected-path`, `disk-full`, `not-writable`).
 */
export interface ChangeApplier {
    apply(changeSet: ChangeSet): Promise<ApplyOutcome>;
}
