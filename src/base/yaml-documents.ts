import { Composer, type CST, type Document, Parser } from "yaml";
import { NorthError } from "./north-error.js";

/**
 * Deeper than any legitimate text. The composer recurses, and V8 ends the process if it compiles a
 * regular expression near the end of the stack.
 */
const MAX_DEPTH = 200;

class ShallowParser extends Parser {
    override *next(source: string): Generator<CST.Token, void> {
        yield* super.next(source);
        if (this.stack.length > MAX_DEPTH) {
            throw new NorthError("too-complex", "The YAML is nested too deeply.");
        }
    }
}

/**
 * The documents of a YAML text, with their errors; `onLine` gets the offset where each line starts.
 * Throws `too-complex`.
 */
export function yamlDocuments(
    text: string,
    onLine?: (offset: number) => void
): readonly Document.Parsed[] {
    return [...new Composer().compose(new ShallowParser(onLine).parse(text))];
}
