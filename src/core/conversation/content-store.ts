import type { StoredContents } from "../../base/stored-contents.js";

/** File contents, stored for undo. */
export interface ContentStore extends StoredContents {
    /** Durable once it resolves. Rejects with an `ExpectedError` (`disk-full`, `not-writable`). */
    put(bytes: Uint8Array): Promise<string>;
    /** Stores several at once, with fewer disk syncs. */
    putAll(contents: readonly Uint8Array[]): Promise<void>;
}
