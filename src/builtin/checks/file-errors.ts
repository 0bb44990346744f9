import { isExpectedError } from "../../base/north-error.js";
import { languageOf } from "../../code/languages.js";
import type { LineError } from "../../code/syntax-error.js";

interface FileError extends LineError {
    /** As shown in counts: `+1 syntax error`. */
    readonly kind: "syntax error" | "conflict marker";
    /** The text of its line. */
    readonly source: string;
}

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
    try {
        return await parseInWorker("errors", languageId, text, signal);
    } catch (error) {
        if (isExpectedError(error) && error.code === "too-complex") return [];
        throw error;
    }
}
