// Turns a module written by esbuild into a script that bin/bundle.js can run with a code cache.
import { transformSync } from "esbuild";
import ts from "typescript";

/** Names that no source has: what stands for `import.meta` and `import` must not be shadowed. */
export const META_NAME = "northMeta";
const IMPORT_NAME = "northImport";

/**
 * Returns the source of a function that takes what a CommonJS module can use, `import.meta` and
 * `import`.
 */
export function toScript(module) {
    const { code } = transformSync(module, {
        format: "cjs",
        platform: "node",
        target: "node20",
        minifySyntax: true,
        minifyWhitespace: true,
    });
    const names = ["exports", "require", "module", "__filename", "__dirname"];
    return `(function(${[...names, META_NAME, IMPORT_NAME]}){${escapeNonAscii(withoutImports(code))}\n})`;
}

function withoutImports(code) {
    // Parsing takes long, and most chunks import nothing late.
    if (!code.includes("import(")) return code;
    return replaced(code, (node) =>
        ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword
            ? { node: node.expression, text: IMPORT_NAME }
            : undefined
    );
}

/**
 * esbuild escapes non-ASCII characters in strings, but not in regular expressions. Scripts are read
 * as latin1, where each would become several characters.
 */
function escapeNonAscii(code) {
    if (!NOT_ASCII.test(code)) return code;
    const plain = replaced(code, (node) =>
        ts.isRegularExpressionLiteral(node) ? { node, text: escaped(node.text) } : undefined
    );
    const index = plain.search(NOT_ASCII);
    if (index < 0) return plain;
    const place = plain.slice(Math.max(0, index - 60), index + 20);
    throw new Error(`Not ASCII, and nothing that can be escaped: ${place}`);
}

const NOT_ASCII = /[^\0-\x7f]/;

function escaped(text) {
    const escape = (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
    return text.replace(/[^\0-\x7f]/g, escape);
}

/** Returns the code with some nodes replaced. */
function replaced(code, replacementOf) {
    const source = ts.createSourceFile("script.js", code, ts.ScriptTarget.ES2023);
    const replacements = [];
    const visit = (node) => {
        const replacement = replacementOf(node);
        if (replacement) replacements.push(replacement);
        ts.forEachChild(node, visit);
    };
    visit(source);
    return replacements.reduceRight(
        (text, { node, text: other }) =>
            text.slice(0, node.getStart(source)) + other + text.slice(node.end),
        code
    );
}
