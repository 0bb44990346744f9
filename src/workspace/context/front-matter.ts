import { parseDocument } from "yaml";
import { isFields } from "../../base/fields.js";

// Cursor writes `globs: *.ts, src/**` without quotes, which in YAML is an alias and an error.
const BARE_GLOBS = /^(globs:[ \t]*)(?![\s"'[|>&])([^\r\n]+)/m;
/** A few kilobytes of YAML can otherwise stand for gigabytes. */
const MAX_ALIASES = 10;

/** The fields of a rule's front matter; none where it makes no sense. */
export function fieldsIn(matter: string): Readonly<Record<string, unknown>> {
    const quoted = matter.replace(
        BARE_GLOBS,
        (_line, name: string, value: string) => name + JSON.stringify(value.trim())
    );
    const document = parseDocument(quoted, { logLevel: "silent" });
    try {
        const value: unknown = document.toJS({ maxAliasCount: MAX_ALIASES });
        return isFields(value) ? value : {};
    } catch {
        return {};
    }
}
