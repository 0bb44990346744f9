import { isBinary } from "../../base/binary.js";
import { partnersOf } from "../../core/diff/compare-lines.js";
import { linesOf } from "../../core/diff/hunks.js";
import { rangesOf } from "../../core/history/line-ranges.js";
import type { ChangeSet, LinesByFile } from "../../plugin/index.js";
import type { VerbatimLine } from "../render/rows.js";

/** The added lines of a change that were whole on the screen, by their place in its content. */
export class ShownLines {
    private readonly contents: ReadonlyMap<string, Uint8Array>;
    private readonly lines = new Map<string, Set<number>>();

    /** A later version of the change keeps what was shown of the lines it shares with `earlier`. */
    constructor({ changes }: ChangeSet, earlier?: ShownLines) {
        this.contents = new Map(
            changes.flatMap(({ path, realPath = path, type, after }) =>
                type === undefined && after && !isBinary(after) ? [[realPath, after] as const] : []
            )
        );
        for (const [path, after] of this.contents) {
            const [before, shown] = [earlier?.contents.get(path), earlier?.lines.get(path)];
            if (!before || !shown) continue;
            const partners = partnersOf(linesOf(before), linesOf(after));
            const kept = [...shown].map((line) => (partners[line - 1] ?? -1) + 1);
            this.lines.set(path, new Set(kept.filter((line) => line > 0)));
        }
    }

    add(body: readonly VerbatimLine[]): void {
        for (const { path, line } of body.flatMap(({ added = [] }) => added)) {
            if (!this.contents.has(path)) continue;
            const lines = this.lines.get(path) ?? new Set();
            this.lines.set(path, lines.add(line));
        }
    }

    /** `undefined` if none were shown. */
    get byFile(): LinesByFile | undefined {
        const files = [...this.lines].filter(([, lines]) => lines.size > 0);
        if (files.length === 0) return undefined;
        return Object.fromEntries(files.map(([path, lines]) => [path, rangesOf(lines)]));
    }
}
