import { parse as parseToml, TomlError } from "smol-toml";
import { parseAllDocuments } from "yaml";
import { messageOf } from "../../base/system-error.js";
import type { LineError } from "../../code/syntax-error.js";

/** These may contain comments and trailing commas. */
const LENIENT_JSON = /(?:^|\/)(?:[jt]sconfig[^/]*|\.vscode\/[^/]*|devcontainer|\.?eslintrc)\.json$/;

export function jsonErrors(path: string, text: string): readonly LineError[] {
    if (LENIENT_JSON.test(path)) return [];
    try {
        JSON.parse(text.replace(/^\uFEFF/, ""));
        return [];
    } catch (error) {
        const reason = messageOf(error);
        const offset = Number(/at position (\d+)/.exec(reason)?.[1] ?? text.trimEnd().length);
        const line = text.slice(0, offset).split("\n").length;
        return [{ line, text: reason }];
    }
}

export function yamlErrors(text: string): readonly LineError[] {
    // A template, which becomes YAML only when rendered.
    if (text.includes("{{") || text.includes("{%")) return [];
    const documents = parseAllDocuments(text, { logLevel: "silent", prettyErrors: true });
    const parsed = Array.isArray(documents) ? documents : [];
    return parsed.flatMap(({ errors }) =>
        errors.map(({ message, linePos }) => ({
            line: linePos?.[0].line ?? 1,
            text: message.split("\n")[0] ?? message,
        }))
    );
}

export function tomlErrors(text: string): readonly LineError[] {
    try {
        parseToml(text);
        return [];
    } catch (error) {
        if (!(error instanceof TomlError)) throw error;
        const [reason = ""] = error.message.split("\n");
        return [{ line: error.line, text: reason }];
    }
}
