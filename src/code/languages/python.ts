import type { Language } from "../language.js";

export const python: Language = {
    id: "python",
    extensions: [".py", ".pyi", ".pyw"],
    interpreters: ["python", "python3"],
    blockKind: "python_symbol",
    blockPrefix: "py",
    reader: {
        kind: "tree",
        grammar: "python",
        query: `
(function_definition name: (_) @name) @function
(class_definition name: (_) @name) @class
(type_alias_statement left: (type [(identifier) @name (generic_type . (identifier) @name)])) @type
(module (expression_statement (assignment left: (identifier) @name right: (lambda) @value) @const))
(module (expression_statement (assignment left: (identifier) @name) @const)
    (#match? @name "^[A-Z][A-Z0-9_]*$"))
(ERROR "def" . (identifier) @name @function)
(ERROR "class" . (identifier) @name @class)
[(import_statement) (import_from_statement) (future_import_statement)] @import
`,
        wrappers: ["decorated_definition"],
        attributes: ["decorator"],
    },
};
