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
