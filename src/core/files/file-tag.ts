/** What an opening tag asks for. */
export interface OpeningTag {
    readonly path: string;
    readonly mode: "create" | "append";
    /** The spaces before it; its closing tag may have the same. */
    readonly indent: string;
}

const OPEN = "<NORTH_FILE";
const CLOSE = "</NORTH_FILE>";
const INDENT = /^ {0,3}/;
const ATTRIBUTE = /[ \t]+([^\s="<>]+)="([^"]*)"/y;
const END = /^[ \t]*>[ \t]*\r?$/;
const BLANK = /^[ \t]*\r?$/;

/** The tag that a whole line is; anything that is not exactly one is text. */
export function openingTag(line: string): OpeningTag | undefined {
    const [indent = ""] = INDENT.exec(line) ?? [];
    if (!line.startsWith(OPEN, indent.length)) return undefined;
    const attributes = new Map<string, string>();
    let end = indent.length + OPEN.length;
    for (;;) {
        ATTRIBUTE.lastIndex = end;
        const [whole, name = "", value = ""] = ATTRIBUTE.exec(line) ?? [];
        if (whole === undefined) break;
        if (attributes.has(name)) return undefined;
        attributes.set(name, value);
        end += whole.length;
    }
    if (!END.test(line.slice(end))) return undefined;
    return tagOf(attributes, indent);
}

function tagOf(attributes: ReadonlyMap<string, string>, indent: string): OpeningTag | undefined {
    const path = attributes.get("path") ?? "";
    const mode = attributes.get("mode");
    const known = mode === undefined ? 1 : 2;
    if (path.trim() === "" || attributes.size !== known) return undefined;
    if (mode !== undefined && mode !== "append") return undefined;
    return { path, mode: mode ?? "create", indent };
}

export function isClosingTag(line: string, indent: string): boolean {
    return closingTags(indent).some(
        (tag) => line.startsWith(tag) && BLANK.test(line.slice(tag.length))
    );
}

/** Whether the beginning of a line may still become an opening tag. */
export function mayBecomeOpening(beginning: string): boolean {
    const rest = beginning.replace(INDENT, "");
    return OPEN.startsWith(rest) || /^<NORTH_FILE[ \t]/.test(rest);
}

/** Whether the beginning of a line may still become a closing tag. */
export function mayBecomeClosing(beginning: string, indent: string): boolean {
    return (
        closingTags(indent).some((tag) => tag.startsWith(beginning)) ||
        isClosingTag(beginning, indent)
    );
}

// A file may well hold the tag as text; the fewer places count, the safer its content is.
function closingTags(indent: string): readonly string[] {
    return indent === "" ? [CLOSE] : [CLOSE, indent + CLOSE];
}
