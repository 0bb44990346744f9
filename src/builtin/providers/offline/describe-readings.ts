import type { JsonObject } from "../../../plugin/index.js";
import { quoted, countOf, fieldsOf, listing, listOf, textOf, verbatim } from "./data.js";

/** Lines of a file shown; the whole was read by whoever asked. */
const MAX_LINES = 60;

export function describeEntries(data: unknown, input: JsonObject): string {
    const { entries, truncated } = fieldsOf(data);
    const names = listOf(entries).map(
        ({ name, type }) => `${textOf(name)}${type === "dir" ? "/" : ""}`
    );
    const where = input.path === undefined ? "The project" : quoted(textOf(input.path));
    const count = names.length === 1 ? "1 entry" : `${names.length || "no"} entries`;
    return listing(`${where} has ${count}${truncated === true ? " and more" : ""}`, names);
}

export function describeFiles(data: unknown, input: JsonObject): string {
    const { files, truncated, total } = fieldsOf(data);
    const names = Array.isArray(files) ? files.map(textOf) : [];
    const count = typeof total === "number" ? total : names.length;
    const isPartial = truncated === true && typeof total !== "number";
    const found = capitalised(countOf(count, "file", isPartial));
    return listing(`${found} for ${quoted(textOf(input.pattern))}`, names);
}

export function describeMatches(data: unknown, input: JsonObject): string {
    const { matches, truncated, total } = fieldsOf(data);
    const lines = listOf(matches).map(
        ({ path, line, preview }) => `${textOf(path)}:${textOf(line)}  ${textOf(preview).trim()}`
    );
    const count = typeof total === "number" ? total : lines.length;
    const isPartial = truncated === true && typeof total !== "number";
    const found = capitalised(countOf(count, "line", isPartial));
    return listing(`${found} with ${quoted(textOf(input.query))}`, lines);
}

export function describeText(data: unknown, input: JsonObject): string {
    const { path, content, startLine, endLine, totalLines } = fieldsOf(data);
    const name = textOf(path) || textOf(input.path);
    const lines = textOf(content).replace(/\n$/, "").split("\n");
    const shown = lines.slice(0, MAX_LINES);
    const left = lines.length - shown.length;
    const range = startLine === undefined ? "" : ` ${textOf(startLine)}-${textOf(endLine)}`;
    const [language = ""] = /(?<=\w\.)[a-z]+$/.exec(name) ?? [];
    return [
        `${quoted(name)}${range} of ${countOf(Number(totalLines ?? lines.length), "line")}:`,
        verbatim(shown.join("\n"), language),
        ...(left > 0 ? [`… and ${countOf(left, "more line")}`] : []),
    ].join("\n");
}

export function describeLanguages(data: unknown): string {
    const languages = listOf(fieldsOf(data).languages).map(
        ({ language, percent }) => `${textOf(language)} ${textOf(percent)} %`
    );
    return listing(capitalised(countOf(languages.length, "language")), languages);
}

export function describeHotFiles(data: unknown): string {
    const files = listOf(fieldsOf(data).files).map(
        ({ path, reason }) => `${textOf(path)}  ${textOf(reason)}`
    );
    return listing(`${capitalised(countOf(files.length, "file"))} to know`, files);
}

function capitalised(text: string): string {
    return text.charAt(0).toUpperCase() + text.slice(1);
}
