import type { Message } from "../../plugin/index.js";
import type { ContextKind } from "../../plugin/index.js";

type Part = Message["content"][number];

/** How many characters of a part belong to what; `undefined`: all of it. */
interface Share {
    readonly kind: ContextKind;
    readonly characters: number | undefined;
}

/** Which parts of messages tell something of the project: known by the parts' identity. */
export class ContextShares {
    private readonly shares = new WeakMap<Part, readonly Share[]>();

    add(part: Part, kind: ContextKind, characters?: number): void {
        this.shares.set(part, [...this.of(part), { kind, characters }]);
    }

    of(part: Part): readonly Share[] {
        return this.shares.get(part) ?? [];
    }
}
