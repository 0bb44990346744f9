// Turns a module that esbuild wrote into a script that bin/bundle.js can run with a code cache.
import { transformSync } from "esbuild";
import ts from "typescript";

/** Named in the bundle where a module would say `import.meta.url`, and `import`. */
export const URL_NAME = "northUrl";
const IMPORT_NAME = "northImport";

/** A function, as text, of what a CommonJS module can use, of its URL and of `import`. */
export function toScript(module) {
    const { code } = transformSync(module, {
        format: "cjs",
        platform: "node",
        target: "node20",
        minifySyntax: true,
        minifyWhitespace: true,
    });
    const names = ["exports", "require", "module", "__filename", "__dirname"];
    return `(function(${[...names, URL_NAME, IMPORT_NAME]}){${withoutImports(code)}\n})`;
}

function withoutImports(code) {
    const starts = [];
    const visit = (node) => {
        const isImport =
            ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword;
        if (isImport) starts.push(node.expression.getStart(source));
        ts.forEachChild(node, visit);
    };
    const source = ts.createSourceFile("script.js", code, ts.ScriptTarget.ES2023);
    visit(source);
    return starts.reduceRight(
        (text, start) => text.slice(0, start) + IMPORT_NAME + text.slice(start + "import".length),
        code
    );
}
