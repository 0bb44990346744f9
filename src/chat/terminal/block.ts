/** The live area's lines; each fits one terminal row. */
export interface Block {
    readonly rows: readonly string[];
    /** Hidden if absent. */
    readonly cursor?: { readonly row: number; readonly column: number };
    /** The part that needs an answer, for terminals that cannot redraw. */
    readonly asked?: string;
}
