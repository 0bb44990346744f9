import { parse as parseToml, TomlError } from "smol-toml";
import { LineCounter } from "yaml";
import { countWhile } from "../../base/count-below.js";
import { isExpectedError } from "../../base/north-error.js";
import { messageOf } from "../../base/system-error.js";
import { yamlDocuments } from "../../base/yaml-documents.js";
import type { LineError } from "../../code/syntax-error.js";

/** These may contain comments and trailing commas. */
const LENIENT_JSON = /(?:^|\/)(?:[jt]sconfig[^/]*|\.vscode\/[^/]*|devcontainer|\.?eslintrc)\.json$/;

export function jsonErrors(path: string, content: string): readonly LineError[] {
    if (LENIENT_JSON.test(path)) return [];
    const text = content.replace(/^\uFEFF/, "");
    try {
        JSON.parse(text);
        return [];
    } catch (error) {
        const { reason, offset } = jsonError(error, text);
        return [{ line: text.slice(0, offset).split("\n").length, text: reason }];
    }
}

/**
 * Node 20 quotes what surrounds an unexpected token, over several lines, but does not say where it
 * is.
 */
function jsonError(error: unknown, text: string) {
    const reason = messageOf(error);
    const [token] = /^Unexpected token '.'/su.exec(reason) ?? [];
    if (token !== undefined) return { reason: token, offset: offsetOf(token, text) };
    const [, position] = /at position (\d+)/.exec(reason) ?? [];
    return { reason, offset: Number(position ?? text.trimEnd().length) };
}

/** The token ends the shortest beginning of the text that has this error: shorter ones just end. */
function offsetOf(reason: string, text: string): number {
    return countWhile(text.length - 1, (index) => !failsWith(reason, text.slice(0, index + 1)));
}

function failsWith(reason: string, text: string): boolean {
    try {
        JSON.parse(text);
        return false;
    } catch (error) {
        return messageOf(error).startsWith(reason);
    }
}

export function yamlErrors(text: string): readonly LineError[] {
    // A template, which becomes YAML only when rendered.
    if (text.includes("{{") || text.includes("{%")) return [];
    const lines = new LineCounter();
    try {
        return yamlDocuments(text, lines.addNewLine).flatMap(({ errors }) =>
            errors.map(({ message, pos: [at] }) => ({
                line: lines.linePos(at).line,
                text: message.split("\n")[0] ?? message,
            }))
        );
    } catch (error) {
        if (!isExpectedError(error)) throw error;
        return [];
    }
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
