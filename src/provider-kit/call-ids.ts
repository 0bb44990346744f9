import { randomBytes } from "node:crypto";
import type { Message } from "../plugin/index.js";

/**
 * The ids of a reply's calls, which must be unique in a conversation: some servers restart at zero
 * in every reply, repeat an id, or send none.
 */
export class CallIds {
    private taken: Set<string> | undefined;

    constructor(private readonly messages: readonly Message[]) {}

    /** The server's id, or a new one if that is missing or belongs to another call. */
    take(wanted: string | null | undefined): string {
        this.taken ??= new Set(
            this.messages.flatMap(({ content }) =>
                content.flatMap((part) => (part.type === "tool-call" ? [part.callId] : []))
            )
        );
        const isFree = wanted && !this.taken.has(wanted);
        const id = isFree ? wanted : `call_${randomBytes(12).toString("hex")}`;
        this.taken.add(id);
        return id;
    }
}
