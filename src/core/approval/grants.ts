import type { AllowedCommand, AutomaticApprovals, UnconfirmedGrant } from "../../plugin/index.js";

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
    allowCommand(command: AllowedCommand): Promise<void>;
    /** Keeps it in the file, but without effect until it is allowed again. */
    suspendCommand(command: AllowedCommand): Promise<void>;
    /** Resolves to whether it existed. */
    removeCommand(command: AllowedCommand): Promise<boolean>;
    /** Resolves to how many were removed. */
    clearCommands(): Promise<number>;
    setAutomatic(change: Partial<AutomaticApprovals>): Promise<void>;
    allowKey(key: string): Promise<void>;
    /** Grants in files of `.north/` that were not given in this clone. */
    unconfirmed(): Promise<readonly UnconfirmedGrant[]>;
    /** Gives a grant returned by `unconfirmed`; one that has disappeared since is not given. */
    confirm(grant: UnconfirmedGrant): Promise<void>;
    /** Declines a grant: it is not mentioned again unless it changes. */
    decline(grant: UnconfirmedGrant): Promise<void>;
}
