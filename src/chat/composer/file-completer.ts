import type { Completer, Completions } from "./completion.js";
import { indexFiles, matchFiles, type FileIndex } from "./file-matches.js";

const MAX_CHOICES = 10;
/** Longest path that is looked for. */
const LOOK_BACK = 300;
const WORD = /(?<=^|[\s([{])@(?:"([^"\n]*)|([^\s"'@]*))$/;

/** The project's files, listed in the background and again when they may have changed. */
export class FileCompleter {
    private index: FileIndex | undefined;
    private listing: Promise<void> | undefined;
    private isStale = true;

    constructor(private readonly list: () => Promise<readonly string[]>) {}

    /** Something may have been created or deleted. */
    expire(): void {
        this.isStale = true;
    }

    /** Lists the files unless the list is fresh; resolves when there is one. Never rejects. */
    async load(): Promise<void> {
        if (!this.listing && this.isStale) {
            this.isStale = false;
            this.listing = this.list()
                .then((paths) => void (this.index = indexFiles(paths)))
                // Without a list nothing is completed; the next `@` tries again.
                .catch(() => this.expire())
                .finally(() => (this.listing = undefined));
        }
        if (!this.index) await this.listing;
    }

    /** Completes `@path`; a list that is being renewed serves meanwhile. */
    readonly complete: Completer = (text, cursor) => {
        const before = text.slice(Math.max(0, cursor - LOOK_BACK), cursor);
        const [word, quoted, plain = ""] = WORD.exec(before) ?? [];
        if (word === undefined) return undefined;
        const place = { from: cursor - word.length, to: cursor, takesEnter: true };
        const typed = quoted ?? plain;
        const loaded = this.load();
        if (this.index) return { ...place, choices: this.choices(typed) };
        return loaded.then((): Completions => ({ ...place, choices: this.choices(typed) }));
    };

    private choices(typed: string): Completions["choices"] {
        return matchFiles(this.index ?? [], typed, MAX_CHOICES).map((path) => ({
            value: /[\s"']/.test(path) ? `@"${path}"` : `@${path}`,
        }));
    }
}
