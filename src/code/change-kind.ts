import { languageOf } from "./languages.js";
import { parseInWorker } from "./parse-in-worker.js";
import type { Token } from "./tokens.js";
import { unlessTooComplex } from "./too-complex.js";

/** What a change of a text concerns; `code` if it concerns anything else, or is unknown. */
export type ChangeKind = "code" | "comments" | "names" | "documents" | "tests";

export interface TextChange {
    /** Relative to the root. */
    readonly path: string;
    readonly before: string;
    readonly after: string;
}

const DOCUMENT =
    /\.(?:md|markdown|mdx|rst|adoc|txt)$|(?:^|\/)(?:LICEN[CS]E|COPYING|NOTICE|AUTHORS|CHANGELOG|README)$/i;
const TEST =
    /(?:^|\/)(?:tests?|__tests__|specs?|testdata|fixtures)\/|[._-](?:test|spec)\.\w+$|_test\.\w+$|(?:^|\/)test_[^/]+\.py$|Tests?\.(?:java|cs|php)$/;

/** Tells the parts of a change that renames something from others. */
export class ChangeKinds {
    private constructor(
        private readonly gone: ReadonlySet<string>,
        private readonly fresh: ReadonlySet<string>,
        private readonly signal: AbortSignal
    ) {}

    /** For parts of these changes. Rejects with the signal's reason. */
    static async of(changes: readonly TextChange[], signal: AbortSignal): Promise<ChangeKinds> {
        const [before, after] = [new Set<string>(), new Set<string>()];
        for (const change of changes) {
            for (const [text, names] of [
                [change.before, before],
                [change.after, after],
            ] as const) {
                const tokens = await tokensOf(change.path, text, signal);
                for (const { text: name, isDefinition } of tokens ?? []) {
                    if (isDefinition) names.add(name);
                }
            }
        }
        const only = (own: ReadonlySet<string>, other: ReadonlySet<string>) =>
            new Set([...own].filter((name) => !other.has(name)));
        return new ChangeKinds(only(before, after), only(after, before), signal);
    }

    /** The kind of a part. `before` and `after` differ only by it. */
    async kindOf({ path, before, after }: TextChange): Promise<ChangeKind> {
        if (DOCUMENT.test(path)) return "documents";
        if (TEST.test(path)) return "tests";
        const old = await tokensOf(path, before, this.signal);
        const fresh = await tokensOf(path, after, this.signal);
        if (!old || !fresh || old.length !== fresh.length) return "code";
        const names = new Map<string, string>();
        for (const [index, { text, place, isName }] of old.entries()) {
            const now = fresh[index];
            if (now?.place !== place) return "code";
            if (now.text === text) continue;
            const isRename = isName && this.gone.has(text) && this.fresh.has(now.text);
            if (!isRename || (names.get(text) ?? now.text) !== now.text) return "code";
            names.set(text, now.text);
        }
        return names.size > 0 ? "names" : "comments";
    }
}

async function tokensOf(
    path: string,
    text: string,
    signal: AbortSignal
): Promise<readonly Token[] | undefined> {
    const language = languageOf(path, text);
    if (language === undefined) return undefined;
    const tokens = await unlessTooComplex(parseInWorker("tokens", language.id, text, signal));
    return tokens?.length ? tokens : undefined;
}
