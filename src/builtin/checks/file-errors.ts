import { Recent } from "../../base/recent.js";
import { sha256 } from "../../base/sha256.js";
import { languageOf } from "../../code/languages.js";
import type { LineError } from "../../code/syntax-error.js";
import { unlessTooComplex } from "../../code/too-complex.js";

interface FileError extends LineError {
    /** As shown in counts: `+1 syntax error`. */
    readonly kind: "syntax error" | "conflict marker";
    /** The text of its line. */
    readonly source: string;
}

/** A draft is reviewed after each turn, and each of its edits was checked before. */
const MAX_KNOWN_FILES = 2_000;
const known = new Recent<readonly LineError[]>(MAX_KNOWN_FILES);

/** Finds conflict markers and, by file name, errors in source code, JSON, YAML or TOML. */
export async function errorsIn(
    path: string,
    text: string,
    signal: AbortSignal
): Promise<readonly FileError[]> {
    const lines = text.split("\n");
    const markers = conflictMarkers(lines);
    const errors = markers.length > 0 ? markers : await syntaxErrors(path, text, signal);
    const kind = markers.length > 0 ? "conflict marker" : "syntax error";
    return errors.map((error) => ({ ...error, kind, source: lines[error.line - 1]?.trim() ?? "" }));
}

/** Returns where each conflict starts, if any conflict ends. */
function conflictMarkers(lines: readonly string[]): readonly LineError[] {
    if (!lines.some((line) => line.startsWith(">>>>>>> "))) return [];
    return lines.flatMap((line, index) =>
        line.startsWith("<<<<<<< ") ? { line: index + 1, text: "left by a merge" } : []
    );
}

async function syntaxErrors(
    path: string,
    text: string,
    signal: AbortSignal
): Promise<readonly LineError[]> {
    const extension = /\.([a-z]+)$/.exec(path.toLowerCase())?.[1];
    switch (extension) {
        case "json":
            if (text.trim() === "") return [];
            return (await import("./data-errors.js")).jsonErrors(path, text);
        case "yaml":
        case "yml":
            return (await import("./data-errors.js")).yamlErrors(text);
        case "toml":
            return (await import("./data-errors.js")).tomlErrors(text);
        default: {
            const language = languageOf(path, text);
            return language ? languageErrors(language.id, text, signal) : [];
        }
    }
}

async function languageErrors(
    languageId: string,
    text: string,
    signal: AbortSignal
): Promise<readonly LineError[]> {
    const { parseInWorker } = await import("../../code/parse-in-worker.js");
    const key = `${languageId} ${sha256(text)}`;
    // Parsing nothing loads the grammar, which the worker may have lost.
    const before = text === "" ? undefined : known.get(key);
    if (before) return before;
    const errors = await unlessTooComplex(parseInWorker("errors", languageId, text, signal));
    if (errors) known.set(key, errors);
    return errors ?? [];
}
