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

/** A grant that came with the repository and has no effect until the user allows it. */
export interface UnconfirmedGrant {
    /** Encodes exactly what would be granted, so a changed grant gets a new id. */
    readonly id: string;
    /** The file that defines it, relative to the root: `.north/allowlist.json`. */
    readonly path: string;
    /** What it would allow, as one line for the user. */
    readonly text: string;
    readonly isDeclined: boolean;
}
/**
 * `auto`: commands that are not allowed run contained first. `required`: all commands run
 * contained, and none runs for real without asking. `off`: no containment. `external`: the machine
 * is a container made for this, where commands run for real without asking.
 */
export type ContainmentMode = "auto" | "off" | "required" | "external";
