import type { ContextPart, Message } from "../../plugin/index.js";

type Part = Message["content"][number];

/** A subject's share of a part; `undefined` characters mean the whole part. */
interface Share extends Pick<ContextPart, "kind" | "origin"> {
    readonly characters: number | undefined;
}

/** Marks message parts as project context, by identity. */
export class ContextShares {
    private readonly shares = new WeakMap<Part, readonly Share[]>();

    add(part: Part, { kind, origin }: Omit<Share, "characters">, characters?: number): void {
        const from = origin === undefined ? {} : { origin };
        this.shares.set(part, [...this.of(part), { kind, ...from, characters }]);
    }

    of(part: Part): readonly Share[] {
        return this.shares.get(part) ?? [];
    }
}
