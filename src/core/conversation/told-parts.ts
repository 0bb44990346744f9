import type { ContextPart, ToldContext } from "../../plugin/index.js";

/** The project context already sent to the model, and the message it was sent with. */
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

    /** Moves parts of messages before `from` to the message replacing them, and returns them. */
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
