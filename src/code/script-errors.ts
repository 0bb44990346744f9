import { compileFunction } from "node:vm";
import type { Node } from "web-tree-sitter";
import type { SyntaxError as LineError } from "./syntax-error.js";

const MODULE_NODES = ["import_statement", "export_statement", "await_expression", "meta_property"];
const JSX_NODES = ["jsx_element", "jsx_self_closing_element", "jsx_opening_element"];
/** Where an error hides the statement from the grammar. */
const MODULE_WORDS = /^(?:import|export)\b|\bawait\b|\bimport\.meta\b/m;

/** Whether V8 can judge a JavaScript text: no module, no JSX and no types. */
export function isPlainScript(root: Node, text: string): boolean {
    if (MODULE_WORDS.test(text) || text.includes("@flow")) return false;
    return root.descendantsOfType([...MODULE_NODES, ...JSX_NODES]).length === 0;
}

/** Compiles a script without running it; a `return` may stand outside of functions, as in CommonJS. */
export function scriptErrors(text: string): readonly LineError[] {
    try {
        compileFunction(text.replace(/^#![^\n]*/, ""), [], { filename: "script" });
        return [];
    } catch (error) {
        if (!(error instanceof Error) || error.name !== "SyntaxError") throw error;
        const [, line = "1"] = /^script:(\d+)/.exec(error.stack ?? "") ?? [];
        return [{ line: Number(line), text: error.message }];
    }
}
