/** A command the user allowed for good; `cwd` is relative to the root, `""` being the root. */
export interface AllowedCommand {
    readonly command: string;
    readonly cwd: string;
}

/** What is approved without asking in this project. */
export interface AutomaticApprovals {
    readonly editsAutoAccept: boolean;
    readonly shellAutoApprove: boolean;
}
