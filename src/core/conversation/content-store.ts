/** File contents by SHA-256 in hex, stored for undo. */
export interface ContentStore {
    /** Durable once it resolves. Rejects with an `ExpectedError` (`disk-full`, `not-writable`). */
    put(bytes: Uint8Array): Promise<string>;
    /** Stores several at once, with fewer disk syncs. */
    putAll(contents: readonly Uint8Array[]): Promise<void>;
    /** Rejects with an `ExpectedError` (`object-missing`, `object-damaged`). */
    get(hash: string): Promise<Uint8Array>;
}
