// Writes docs/tools.md from the definitions of the built-in tools: `npm run tools-page`.
import { writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { format } from "oxfmt";
import { builtin } from "../src/builtin/index.js";
import type { JsonSchema, Tool } from "../src/plugin/index.js";

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const page = path.join(root, "docs", "tools.md");

/** The subset of JSON Schema that the tools use. */
interface Schema {
    readonly type?: string;
    readonly description?: string;
    readonly const?: unknown;
    readonly enum?: readonly unknown[];
    readonly anyOf?: readonly Schema[];
    readonly items?: Schema;
    readonly properties?: Readonly<Record<string, Schema>>;
    readonly required?: readonly string[];
    readonly default?: unknown;
    readonly minimum?: number;
    readonly maximum?: number;
    readonly minLength?: number;
    readonly maxLength?: number;
    readonly minItems?: number;
    readonly maxItems?: number;
}

const APPROVALS: Readonly<Record<Tool["approval"], string>> = {
    none: "runs without asking",
    write: "the change is reviewed as a diff before it is written",
    shell: "the command runs [contained](containment.md) first, or is shown and approved before it runs",
    ask: "a question is asked first; `always` remembers its key for this project",
};

const INTRODUCTION = `<!-- Generated from src/builtin/tools by \`npm run tools-page\`: do not edit it by hand. -->

# Built-in tools

Every result is \`{ok: true, data}\` or \`{ok: false, error: {code, message, hint?, candidates?}}\`.
Lines start at 1 and ranges include both ends. Paths are relative to the repository root.

Input that does not match its schema never reaches the tool. North accepts what has only one reading:

- \`null\` means that an optional field is absent.
- \`"12"\` is accepted as a number and \`"true"\` as a boolean.
- A number above the maximum becomes the maximum, and \`notes\` beside \`data\` says so.
- A remark (\`description\`, \`explanation\`, \`reason\`, \`rationale\`) is ignored. Any other unknown
  field is refused.
- \`/a\` and \`repository-name/a\` mean \`a\` if only \`a\` exists.
- A tool's name may be in another case, and one word of it (\`read\`) is enough if only one read-only
  tool accepts the input.

North refuses input that is over 50 KB (1 MB for \`edit_create_file\` and \`edit_apply_batch\`) or
nested more than 100 levels deep, and does not keep it in the conversation.

The approval classes:
`;

const COLUMNS = `"Digest" means that the model gets a shorter form of a long result; \`expand_output\` returns the full result until the end of the turn.`;

const REGULAR_EXPRESSIONS = `## Regular expressions

Searches use RE2 syntax and match one line at a time, without its line break. ripgrep and the
JavaScript search (used with \`NORTH_DISABLE_RIPGREP=1\`, or if ripgrep refuses the pattern) differ in
rare cases:

- \`\\w\`, \`\\d\`, \`\\s\` and \`\\b\` follow Unicode in ripgrep and ASCII in JavaScript.
- Inside brackets, ripgrep reads \`[\`, \`&&\`, \`--\` and \`~~\` as set operators; escape them.
- Before CR LF, \`\\z\` matches in JavaScript only; use \`$\`.
- A byte that is not UTF-8 matches nothing in ripgrep and \`.\` in JavaScript.
- A carriage return in the middle of a line ends the line for \`.\`, \`^\` and \`$\` in ripgrep only.

A search takes at most 30 seconds, whatever the pattern.`;

/** Returns the whole page, formatted like the repository's other pages. */
export async function toolsPage(tools: readonly Tool[] = builtin.tools ?? []): Promise<string> {
    const classes = Object.entries(APPROVALS).map(
        ([name, meaning]) => `- \`${name}\`: ${meaning}.`
    );
    const overview = table(
        ["Tool", "Approval", "In ask and plan mode", "Digest"],
        tools.map((tool) => [
            `[\`${tool.name}\`](#${tool.name})`,
            tool.approval,
            whereNothingChanges(tool),
            tool.digest ? "yes" : "no",
        ])
    );
    const sections = tools.map(sectionOf);
    const markdown = [
        INTRODUCTION,
        classes.join("\n"),
        COLUMNS,
        overview,
        ...sections,
        REGULAR_EXPRESSIONS,
    ].join("\n\n");
    const { code } = await format("tools.md", markdown, { printWidth: 100, tabWidth: 4 });
    return code;
}

function sectionOf(tool: Tool): string {
    const notes = tool.searchesWeb ? ["[Off by default](providers.md#search-the-web)."] : [];
    return [`## ${tool.name}`, tool.description, ...notes, inputOf(tool.inputSchema)].join("\n\n");
}

function whereNothingChanges({ readOnly, approval }: Tool): string {
    if (readOnly) return "yes";
    return approval === "shell" ? "contained only" : "no";
}

function inputOf(schema: JsonSchema): string {
    const rows = rowsOf(schema, "");
    if (rows.length === 0) return "Input: none.";
    return table(["Input", "Type", "Required", "Meaning"], rows);
}

/** Returns one row per field; fields of nested objects follow, with their path. */
function rowsOf(schema: Schema, prefix: string): string[][] {
    const required = new Set(schema.required ?? []);
    return Object.entries(schema.properties ?? {}).flatMap(([name, field]) => {
        const fieldPath = `${prefix}${name}`;
        const within = field.items?.properties ? `${fieldPath}[].` : `${fieldPath}.`;
        return [
            [
                `\`${fieldPath}\``,
                typeOf(field),
                required.has(name) ? "yes" : "no",
                meaningOf(field),
            ],
            ...rowsOf(field.items?.properties ? field.items : field, within),
        ];
    });
}

function typeOf(schema: Schema): string {
    if (schema.const !== undefined) return `\`${JSON.stringify(schema.const)}\``;
    const choices = schema.enum?.map((value) => `\`${JSON.stringify(value)}\``);
    if (choices) return choices.join(" or ");
    if (schema.anyOf) return schema.anyOf.map(typeOf).join(" or ");
    if (schema.type === "array") return `list of ${schema.items ? typeOf(schema.items) : "any"}`;
    return schema.type ?? "any";
}

function meaningOf(schema: Schema): string {
    const { minimum, maximum, minLength, maxLength, minItems, maxItems } = schema;
    const limits = [
        rangeOf(minimum, maximum),
        minLength === undefined || minLength === 0 ? "" : "not empty",
        maxLength === undefined ? "" : `at most ${maxLength} characters`,
        minItems === undefined ? "" : `at least ${minItems}`,
        maxItems === undefined ? "" : `at most ${maxItems}`,
        schema.default === undefined ? "" : `default \`${JSON.stringify(schema.default)}\``,
    ].filter((limit) => limit !== "");
    return [schema.description ?? "", limits.join(", ")].filter((text) => text !== "").join("; ");
}

function rangeOf(minimum: number | undefined, maximum: number | undefined): string {
    if (minimum !== undefined && maximum !== undefined) return `${minimum} to ${maximum}`;
    if (minimum !== undefined) return `${minimum} or more`;
    return maximum === undefined ? "" : `up to ${maximum}`;
}

function table(headings: readonly string[], rows: readonly (readonly string[])[]): string {
    const lines = [headings, headings.map(() => "---"), ...rows];
    return lines.map((cells) => `| ${cells.map(escaped).join(" | ")} |`).join("\n");
}

/** A bar would end the cell, a line break the table. */
function escaped(cell: string): string {
    return cell.replaceAll("|", "\\|").replaceAll("\n", " ");
}

if (process.argv[1] === fileURLToPath(import.meta.url)) writeFileSync(page, await toolsPage());
