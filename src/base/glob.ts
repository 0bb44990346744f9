import picomatch from "picomatch";
import { messageOf } from "./system-error.js";
import { NorthError } from "./north-error.js";

/** picomatch's guards against `.`, `..` and `""`, which no listed path contains. */
const LOOKAHEADS = [
    "(?!(?:^|\\/)\\.{1,2}(?:\\/|$))",
    "(?!\\.{1,2}(?:\\/|$))",
    "(?!\\.{0,1}(?:\\/|$))",
    "(?=.)",
];

/** `**` may match the end of a path, but not where a name must follow. */
const END_BEFORE_NAME = /\|\$\)((?:\(\?!\\\.\{1,2\}\(\?:\\\/\|\$\)\))?\(\?=\.\))/g;

/**
 * Compiles a glob to a predicate for relative, normalized paths that takes linear time. No extended
 * globs (`!(a)`) and no negation: parentheses are literal, since several web frameworks use them in
 * folder names. Rejects with `invalid-pattern`.
 */
export async function compileGlob(
    glob: string,
    { ignoreCase = false } = {}
): Promise<(path: string) => boolean> {
    try {
        const escaped = glob.replace(/\\[^]|[()]/g, (text) => (text[1] ? text : `\\${text}`));
        const regex = picomatch.makeRe(escaped, {
            dot: true,
            nocase: ignoreCase,
            noextglob: true,
            nonegate: true,
            strictBrackets: true,
        });
        // One wildcard cannot backtrack, and V8 is several times faster than the linear engine.
        if (glob.split(/\*+/).length <= 2) return (path) => regex.test(path);
        const { RE2JS } = await import("re2js");
        const required = regex.source.replace(END_BEFORE_NAME, ")$1");
        const source = LOOKAHEADS.reduce((text, part) => text.replaceAll(part, ""), required)
            // RE2 rejects a backslash before letters such as é.
            .replace(/\\(?:\\|([^\0-\x7f]))/g, (escape, letter?: string) => letter ?? escape);
        const linear = RE2JS.compile(source, ignoreCase ? RE2JS.CASE_INSENSITIVE : 0);
        return (path) => linear.testExact(path);
    } catch (error) {
        throw invalidGlob(glob, messageOf(error));
    }
}

export function invalidGlob(glob: string, reason: string): NorthError {
    return new NorthError("invalid-pattern", `The glob ${glob} is invalid: ${reason}.`, [
        "Write one like *.ts, src/**/*.{js,jsx} or **/test-*/**.",
    ]);
}
