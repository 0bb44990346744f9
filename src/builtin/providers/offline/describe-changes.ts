import type { JsonObject } from "../../../plugin/index.js";
import { quoted, fieldsOf, listOf, textOf, verbatim } from "./data.js";

/** Characters of output shown. */
const MAX_OUTPUT = 4_000;

export function describeChange(data: unknown, input: JsonObject): string {
    const { applied, files } = fieldsOf(data);
    const changed = listOf(files).map(
        ({ path, linesAdded, linesRemoved }) =>
            `${quoted(textOf(path))} (+${textOf(linesAdded)} -${textOf(linesRemoved)})`
    );
    const what = changed.join(", ") || quoted(textOf(input.path));
    return applied === "some"
        ? `Changed ${what}, in part: you left something out.`
        : `Changed ${what}.`;
}

export function describeOutput(data: unknown, input: JsonObject): string {
    const { stdout, stderr, exitCode, timedOut } = fieldsOf(data);
    const ended = timedOut === true ? "ran into its time limit" : `ended with ${textOf(exitCode)}`;
    const output = [textOf(stdout), textOf(stderr)]
        .map((text) => text.trimEnd())
        .filter((text) => text !== "")
        .join("\n");
    const headline = `${quoted(textOf(input.command))} ${ended}`;
    if (output === "") return `${headline} and printed nothing.`;
    const cut = output.length > MAX_OUTPUT ? `${output.slice(0, MAX_OUTPUT)}\n…` : output;
    return `${headline}:\n${verbatim(cut)}`;
}
