/** One thing that a contained command did in git's folder. */
export interface GitChange {
    /** `Commit to main: "Fix retry"` */
    readonly what: string;
    /** `3 files +12 -4` */
    readonly detail?: string;
}

/** What its title does not say. */
export interface CommitMessage {
    /** `1a2b3c4`, or `tag v1` */
    readonly of: string;
    readonly text: string;
}

/** `Commit to main: "Fix retry" (3 files +12 -4)` */
export function gitLine({ what, detail }: GitChange): string {
    return detail === undefined ? what : `${what} (${detail})`;
}
