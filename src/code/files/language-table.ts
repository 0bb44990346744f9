import { basename } from "node:path";
import type { Language } from "linguist-languages";

/** What may be the language of a file, by its name. */
export type LanguageTable = (path: string) => readonly Language[];

let table: Promise<LanguageTable> | undefined;

/** GitHub's table of languages; 130 ms to load from the package, so late and once. */
export function loadLanguageTable(): Promise<LanguageTable> {
    table ??= buildTable();
    return table;
}

async function buildTable(): Promise<LanguageTable> {
    const languages: readonly Language[] = Object.values(await import("linguist-languages"));
    const byFileName = new Map<string, Language[]>();
    const byExtension = new Map<string, Language[]>();
    for (const language of languages) {
        for (const name of language.filenames ?? []) append(byFileName, name, language);
        for (const extension of language.extensions ?? []) {
            append(byExtension, extension.toLowerCase(), language);
        }
    }
    return (path) => {
        const name = basename(path);
        return byFileName.get(name) ?? byLongestExtension(byExtension, name.toLowerCase());
    };
}

/** `.blade.php` before `.php`. */
function byLongestExtension(
    byExtension: ReadonlyMap<string, readonly Language[]>,
    name: string
): readonly Language[] {
    for (let dot = name.indexOf("."); dot !== -1; dot = name.indexOf(".", dot + 1)) {
        const found = byExtension.get(name.slice(dot));
        if (found !== undefined) return found;
    }
    return [];
}

function append<Value>(map: Map<string, Value[]>, key: string, value: Value): void {
    const values = map.get(key);
    if (values === undefined) map.set(key, [value]);
    else values.push(value);
}
