import type { ContextPart } from "../../plugin/index.js";

/** Everything the model was told in a conversation, by id, in its latest wording. */
export type ToldContext = ReadonlyMap<string, ContextPart>;

/** What the model was told of the project, and in which message. */
export class ToldParts {
    private readonly told = new Map<string, ContextPart>();
    private readonly places = new Map<string, number>();

    get parts(): ToldContext {
        return this.told;
    }

    add(part: ContextPart, message: number): void {
        this.told.set(part.id, part);
        this.places.set(part.id, message);
    }

    /**
     * The parts told in messages before `from`, which one message takes the place of: it tells them
     * from now on.
     */
    gatherBefore(from: number): readonly ContextPart[] {
        const gathered: ContextPart[] = [];
        for (const [id, place] of this.places) {
            const part = this.told.get(id);
            if (place < from && part) gathered.push(part);
            this.places.set(id, Math.max(0, place - from + 1));
        }
        return gathered;
    }
}
