import { attempt } from "./attempt.js";
import { isFields } from "./fields.js";
import { yamlDocuments } from "./yaml-documents.js";

/** Without a limit, a few kilobytes of YAML can expand to gigabytes. */
const MAX_ALIASES = 10;
const PLAIN_VALUE = /^([\w-]+:[ \t]+)(?![\s"'|>&])([^\r\n]+)/gm;

/** The fields of a YAML text; empty if it cannot be parsed. */
export function fieldsIn(text: string): Readonly<Record<string, unknown>> {
    // Cursor writes `globs: *.ts`, others `description: Use when: ...` and `argument-hint: [a] [b]`.
    return parse(text) ?? parse(text.replace(PLAIN_VALUE, quote)) ?? {};
}

function parse(text: string): Readonly<Record<string, unknown>> | undefined {
    return attempt(() => {
        const [document] = yamlDocuments(text);
        const value: unknown = document?.toJS({ maxAliasCount: MAX_ALIASES });
        return document?.errors.length === 0 && isFields(value) ? value : undefined;
    });
}

function quote(line: string, name: string, value: string): string {
    const isPlain = /^\w+$/.test(value.trim());
    return isPlain ? line : name + JSON.stringify(value.trim());
}
