import type { AllowedCommand, AutomaticApprovals, UnconfirmedGrant } from "../../plugin/index.js";
import type { ChangeHistory, ChangeMark } from "./changes.js";

/** Everything currently allowed without asking. */
export interface GrantSnapshot extends AutomaticApprovals {
    readonly allowedCommands: readonly AllowedCommand[];
    /** Keys of questions answered with "always". */
    readonly allowedKeys: readonly string[];
}

/**
 * What the user has allowed in one project. Only what North wrote on this machine, or the user
 * confirmed, counts; grants that came with a clone do not. Safe across processes: each change is
 * applied to the latest state under a lock.
 */
export interface Grants {
    /** Always read fresh, so that grants given in another process count at once. */
    snapshot(): Promise<GrantSnapshot>;
    /** What the model has changed; each allowed command counts until then. */
    readonly changes: ChangeHistory;
    /** Allows it as things were at `since`, by default now. */
    allowCommand(command: AllowedCommand, since?: ChangeMark): Promise<void>;
    /** The point that an allowed command counts from; `undefined` if it is not known. */
    allowedSince(command: AllowedCommand): Promise<ChangeMark | undefined>;
    /** Lets a command count from a later point, unless it was revoked meanwhile. */
    renewCommand(command: AllowedCommand, since: ChangeMark): Promise<void>;
    /** Resolves to whether it existed. */
    removeCommand(command: AllowedCommand): Promise<boolean>;
    /** Resolves to how many were removed. */
    clearCommands(): Promise<number>;
    setAutomatic(change: Partial<AutomaticApprovals>): Promise<void>;
    allowKey(key: string): Promise<void>;
    /** Resolves to whether it existed. */
    removeKey(key: string): Promise<boolean>;
    /** Grants in files of `.north/` that were not given in this clone. */
    unconfirmed(): Promise<readonly UnconfirmedGrant[]>;
    /** Gives a grant returned by `unconfirmed`; one that has disappeared since is not given. */
    confirm(grant: UnconfirmedGrant): Promise<void>;
    /** Declines a grant: it is not mentioned again unless it changes. */
    decline(grant: UnconfirmedGrant): Promise<void>;
}
