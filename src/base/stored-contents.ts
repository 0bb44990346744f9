/** Reads contents by their SHA-256 in hex. */
export interface StoredContents {
    /** Rejects with an `ExpectedError` (`object-missing`, `object-damaged`). */
    get(hash: string): Promise<Uint8Array>;
}
