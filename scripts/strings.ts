// Lists the strings in the sources that a person or a model may read: `npm run strings [--
// FOLDER]`.
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import ts from "typescript";

const ROOT = "src";
/** Two words, or one that ends a sentence. */
const PROSE = /[a-z]{2,}['’,.:;?!)`]* [A-Za-z`]|[a-z]{3,}[.?!]$/;

const [only = ""] = process.argv.slice(2);

const files = readdirSync(ROOT, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts") && file.startsWith(only))
    .sort();
for (const file of files) {
    const texts = textsIn(path.join(ROOT, file));
    if (texts.length === 0) continue;
    console.log(`\n## ${file}`);
    for (const { line, text } of texts) console.log(`${String(line).padStart(4)}  ${text}`);
}

function textsIn(file: string) {
    const source = ts.createSourceFile(
        file,
        readFileSync(file, "utf8"),
        ts.ScriptTarget.ES2023,
        true
    );
    const found: { line: number; text: string }[] = [];
    const visit = (node: ts.Node): void => {
        if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) return;
        const text = textOf(node, source);
        if (text === undefined) return ts.forEachChild(node, visit);
        const line = source.getLineAndCharacterOfPosition(node.getStart(source)).line + 1;
        const words = text.replace(/\{[^}]*\}+/g, "x");
        if (PROSE.test(words)) found.push({ line, text: text.replaceAll("\n", "⏎") });
        if (ts.isTemplateExpression(node)) node.templateSpans.forEach(visit);
    };
    visit(source);
    return found;
}

/** Returns a literal's text, with template expressions in braces. */
function textOf(node: ts.Node, source: ts.SourceFile): string | undefined {
    if (ts.isStringLiteralLike(node)) return node.text;
    if (!ts.isTemplateExpression(node)) return undefined;
    const spans = node.templateSpans.map(
        ({ expression, literal }) => `{${expression.getText(source)}}${literal.text}`
    );
    return node.head.text + spans.join("");
}
