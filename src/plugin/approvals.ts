/** A command that is always allowed. `cwd` is relative to the root; `""` is the root itself. */
export interface AllowedCommand {
    readonly command: string;
    readonly cwd: string;
}

/** Approvals that this project grants without asking. */
export interface AutomaticApprovals {
    readonly editsAutoAccept: boolean;
    readonly shellAutoApprove: boolean;
}

/** One thing that came with the repository and does nothing until the user allows it. */
export interface UnconfirmedGrant {
    /** Holds exactly what would be granted, so that a change makes another one of it. */
    readonly id: string;
    /** The file it is in, relative to the root: `.north/allowlist.json`. */
    readonly path: string;
    /** What it would do, for a person, on one line. */
    readonly text: string;
    readonly isDeclined: boolean;
}
/**
 * `auto`: what is not allowed runs contained first. `required`: everything does, and nothing runs
 * for real unasked. `off`: nothing does.
 */
export type ContainmentMode = "auto" | "off" | "required";
