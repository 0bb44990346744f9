import type { AllowedCommand, AutomaticApprovals, UnconfirmedGrant } from "../../plugin/index.js";

/** Everything that is allowed without asking, as it stands now. */
export interface GrantSnapshot extends AutomaticApprovals {
    readonly allowedCommands: readonly AllowedCommand[];
    /** Keys of questions answered with "always". */
    readonly allowedKeys: readonly string[];
}

/**
 * What the user has allowed in one project. Only what North wrote on this machine, or the user
 * confirmed, counts; what a cloned repository brings along does not. Safe across processes: each
 * change is made on the newest state under a lock.
 */
export interface Grants {
    /** Read afresh each time, so that what another process was allowed counts at once. */
    snapshot(): Promise<GrantSnapshot>;
    allowCommand(command: AllowedCommand): Promise<void>;
    /** Leaves it in the file, where it does not count until it is allowed again. */
    suspendCommand(command: AllowedCommand): Promise<void>;
    /** Resolves with whether it was there. */
    removeCommand(command: AllowedCommand): Promise<boolean>;
    /** Resolves with how many there were. */
    clearCommands(): Promise<number>;
    setAutomatic(change: Partial<AutomaticApprovals>): Promise<void>;
    allowKey(key: string): Promise<void>;
    /** What files in `.north/` would grant and was not granted in this clone. */
    unconfirmed(): Promise<readonly UnconfirmedGrant[]>;
    /** The user said yes to one that `unconfirmed` returned; one that is gone since is no grant. */
    confirm(grant: UnconfirmedGrant): Promise<void>;
    /** The user said no: it is not mentioned again, unless it changes. */
    decline(grant: UnconfirmedGrant): Promise<void>;
}
