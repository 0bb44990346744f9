/**
 * Tells at once of most names that no pattern can match them: the last part of each pattern says
 * what the name must be or contain. Saves the full match for nearly every file of a walk.
 */
export class NameFilter {
    private readonly names = new Set<string>();
    private readonly pieces = new Set<string>();
    private matchesAny = false;

    constructor(
        patterns: readonly string[],
        private readonly ignoreCase: boolean
    ) {
        for (const pattern of patterns) this.add(this.fold(pattern));
    }

    /** `false` only if no pattern can match something of this name. */
    mayMatch(name: string): boolean {
        if (this.matchesAny) return true;

        const folded = this.fold(name);
        if (this.names.has(folded)) return true;

        for (const piece of this.pieces) if (folded.includes(piece)) return true;

        return false;
    }

    private add(pattern: string): void {
        const parts = pattern
            .replace(/^!/, "")
            .replace(/(?<! ) +$/, "")
            .replace(/\/$/, "")
            .split("/");
        const last = parts.at(-1) ?? "";
        if (last.includes("\\")) {
            this.matchesAny = true;
        } else if (!/[*?[]/.test(last)) {
            this.names.add(last);
        } else {
            // Nothing after a bracket is sure to be outside of it.
            const [plain = ""] = last.split("[");
            const longest = plain
                .split(/[*?]/)
                .reduce((best, piece) => (piece.length > best.length ? piece : best), "");
            this.matchesAny ||= longest === "";
            this.pieces.add(longest);
        }
    }

    private fold(text: string): string {
        return this.ignoreCase ? text.toLowerCase() : text;
    }
}
