import type { ContextPart, Message, SentParts } from "../../plugin/index.js";

type MessagePart = Message["content"][number];

/** A subject's share of a part; `undefined` characters mean the whole part. */
interface Share extends Pick<ContextPart, "kind" | "origin"> {
    readonly characters: number | undefined;
}

/** The project context and attachments in a conversation's messages. */
export class SentContext {
    private readonly sent = new Map<string, ContextPart>();
    private readonly places = new Map<string, number>();
    private readonly shares = new WeakMap<MessagePart, readonly Share[]>();

    get parts(): SentParts {
        return this.sent;
    }

    /** What a message part holds beside what was said. */
    sharesOf(part: MessagePart): readonly Share[] {
        return this.shares.get(part) ?? [];
    }

    addShare(
        part: MessagePart,
        { kind, origin }: Omit<Share, "characters">,
        characters?: number
    ): void {
        const from = origin === undefined ? {} : { origin };
        this.shares.set(part, [...this.sharesOf(part), { kind, ...from, characters }]);
    }

    /** `message` is the index of the one that holds it. */
    add(part: ContextPart, message: number): void {
        this.sent.set(part.id, part);
        this.places.set(part.id, message);
    }

    /** Moves parts of messages before `from` to the message replacing them, and returns them. */
    gatherBefore(from: number): readonly ContextPart[] {
        const gathered: ContextPart[] = [];
        for (const [id, index] of this.places) {
            const part = this.sent.get(id);
            if (index < from && part) gathered.push(part);
            this.places.set(id, Math.max(0, index - from + 1));
        }
        return gathered;
    }
}
