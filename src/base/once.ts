/** Remembers what was reported, so that its owner reports each thing once. */
export class Once {
    private readonly said = new Set<string>();

    /** Whether this text comes for the first time. */
    first(text: string): boolean {
        if (this.said.has(text)) return false;
        this.said.add(text);
        return true;
    }
}
