/** One thing that a contained command did in git's folder. */
export interface GitChange {
    /** `Commit to main: "Fix retry"` */
    readonly what: string;
    /** `3 files +12 -4` */
    readonly detail?: string;
}

/** `Commit to main: "Fix retry" (3 files +12 -4)` */
export function gitLine({ what, detail }: GitChange): string {
    return detail === undefined ? what : `${what} (${detail})`;
}
