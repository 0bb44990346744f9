import type { ParserPlugin } from "@babel/parser";
import type { LineError } from "./syntax-error.js";

/** The plugins to try for each grammar: a text is wrong if it fails with all. */
const DIALECTS: Readonly<Record<string, readonly (readonly ParserPlugin[])[]>> = {
    javascript: [
        ["jsx", "decorators", "decoratorAutoAccessors"],
        ["jsx", "flow", "flowComments"],
    ],
    typescript: [["typescript", "decorators-legacy", "decoratorAutoAccessors"]],
    tsx: [["typescript", "jsx", "decorators-legacy", "decoratorAutoAccessors"]],
};

/** Whether Babel's parser judges texts of a grammar. */
export function isScript(grammar: string): boolean {
    return grammar in DIALECTS;
}

/** The first syntax error of a script or module; a `return` may stand outside of functions, as in CommonJS. */
export async function scriptError(text: string, grammar: string): Promise<LineError | undefined> {
    const { parse } = await import("@babel/parser");
    let first: LineError | undefined;
    for (const plugins of DIALECTS[grammar] ?? []) {
        try {
            parse(text, {
                sourceType: "unambiguous",
                plugins: [...plugins],
                allowReturnOutsideFunction: true,
                allowUndeclaredExports: true,
            });
            return undefined;
        } catch (error) {
            if (!(error instanceof SyntaxError)) throw error;
            first ??= { line: lineOf(error), text: error.message.replace(/ \(\d+:\d+\)$/, "") };
        }
    }
    return first;
}

function lineOf(error: Error & { readonly loc?: { readonly line: number } }): number {
    return error.loc?.line ?? 1;
}
