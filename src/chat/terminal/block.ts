/** The lines that are alive; each fits in one row of the terminal. */
export interface Block {
    readonly rows: readonly string[];
    /** Hidden where absent. */
    readonly cursor?: { readonly row: number; readonly column: number };
    /** What of it the user has to answer, for a terminal that cannot redraw; nothing if absent. */
    readonly asked?: string;
}
