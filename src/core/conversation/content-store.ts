/** Contents of files by their SHA-256 in hex, kept so that changes can be taken back. */
export interface ContentStore {
    /** Durable when it resolves. Rejects with an `ExpectedError` (`disk-full`, `not-writable`). */
    put(bytes: Uint8Array): Promise<string>;
    /** Rejects with an `ExpectedError` (`object-missing`, `object-damaged`). */
    get(hash: string): Promise<Uint8Array>;
}
