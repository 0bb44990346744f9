import type { Message } from "../../plugin/index.js";
import type { ContextKind } from "../../plugin/index.js";

type Part = Message["content"][number];

/** Characters of a part by subject; `undefined` means the whole part. */
interface Share {
    readonly kind: ContextKind;
    readonly characters: number | undefined;
}

/** Marks message parts as project context, by identity. */
export class ContextShares {
    private readonly shares = new WeakMap<Part, readonly Share[]>();

    add(part: Part, kind: ContextKind, characters?: number): void {
        this.shares.set(part, [...this.of(part), { kind, characters }]);
    }

    of(part: Part): readonly Share[] {
        return this.shares.get(part) ?? [];
    }
}
