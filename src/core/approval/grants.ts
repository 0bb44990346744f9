import type { AllowedCommand, AutomaticApprovals } from "../../plugin/index.js";

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
    /** Resolves with whether it was there. */
    removeCommand(command: AllowedCommand): Promise<boolean>;
    /** Resolves with how many there were. */
    clearCommands(): Promise<number>;
    setAutomatic(change: Partial<AutomaticApprovals>): Promise<void>;
    allowKey(key: string): Promise<void>;
    /** Files in `.north/` that grant something and that North did not write, with what they say. */
    unconfirmed(): Promise<readonly UnconfirmedGrant[]>;
    /** The user said yes to what `unconfirmed` returned; a file changed since stays unconfirmed. */
    confirm(grants: readonly UnconfirmedGrant[]): Promise<void>;
}

/** A file that grants something and is not believed. */
export interface UnconfirmedGrant {
    /** Relative to the root: `.north/allowlist.json`. */
    readonly path: string;
    /** SHA-256 of its content in hex. */
    readonly hash: string;
    /** What it would allow, one line each. */
    readonly grants: readonly string[];
}
