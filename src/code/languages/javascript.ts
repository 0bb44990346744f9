import type { Language, TreeReader } from "../language.js";

const FUNCTION = "[(arrow_function) (function_expression) (generator_function)]";

/** Shared by JavaScript and TypeScript. */
export const ecmaScriptQuery = `
(function_declaration name: (_) @name) @function
(generator_function_declaration name: (_) @name) @function
(class_declaration name: (_) @name) @class
(variable_declarator name: (identifier) @parent
    value: (object (method_definition name: (_) @name) @method))
(variable_declarator name: (identifier) @parent
    value: (object (pair key: (_) @name value: ${FUNCTION} @value) @method))
(method_definition name: (_) @name) @method

(variable_declarator name: (identifier) @name value: ${FUNCTION} @value) @const
(variable_declarator name: (identifier) @name value: (class)) @class
(program (lexical_declaration (variable_declarator name: (identifier) @name
    value: (call_expression arguments: (arguments . ${FUNCTION} @value))) @const))
(export_statement (lexical_declaration (variable_declarator name: (identifier) @name
    value: (call_expression arguments: (arguments . ${FUNCTION} @value))) @const))
(export_statement (lexical_declaration (variable_declarator name: (identifier) @name) @const))
(export_statement (variable_declaration (variable_declarator name: (identifier) @name) @const))
(export_statement (lexical_declaration (variable_declarator name: (object_pattern
    [(shorthand_property_identifier_pattern) @name (pair_pattern value: (identifier) @name)]
)) @const))

(export_statement value: ${FUNCTION} @function @value (#set! name "default"))
(export_statement value: (class !name) @class (#set! name "default"))
(export_statement value: (class name: (_) @name) @class)

(assignment_expression left: (member_expression
    object: (member_expression object: (_) @parent property: (_) @_prototype)
    property: (_) @name) right: ${FUNCTION} @value
    (#eq? @_prototype "prototype")) @method
(assignment_expression left: (member_expression object: (this) property: (_) @name)
    right: ${FUNCTION} @value) @method
(assignment_expression left: (member_expression object: (_) property: (_) @name)
    right: ${FUNCTION} @value (#not-eq? @name "exports")) @function
(assignment_expression left: (subscript_expression index: (string) @name)
    right: ${FUNCTION} @value) @function
(assignment_expression left: (identifier) @name right: ${FUNCTION} @value) @function
(assignment_expression left: (member_expression property: (_) @name) right: (class)
    (#not-eq? @name "exports")) @class
(assignment_expression left: (member_expression property: (_) @_exports)
    right: (function_expression name: (_) @name) @function (#eq? @_exports "exports"))
(assignment_expression left: (member_expression property: (_) @_exports)
    right: (class name: (_) @name) @class (#eq? @_exports "exports"))
(pair key: (_) @name value: ${FUNCTION} @value) @method

(arguments (function_expression name: (_) @name) @function)
(return_statement (function_expression name: (_) @name) @function)
(parenthesized_expression (function_expression name: (_) @name) @function)
(arguments (class name: (_) @name) @class)
(return_statement (class name: (_) @name) @class)
(expression_statement (call_expression arguments: (arguments ${FUNCTION} @value))
    (#set! name "callback")) @block

(expression_statement (function_expression name: (_) @name) @function)
(ERROR "function" . (identifier) @name @function)
(ERROR (property_identifier) @name @method . (formal_parameters))
(ERROR "class" . (_) @name @class)
(import_statement) @import
(program (lexical_declaration (variable_declarator value: (call_expression
    function: (identifier) @_require (#eq? @_require "require")))) @import)
(program (variable_declaration (variable_declarator value: (call_expression
    function: (identifier) @_require (#eq? @_require "require")))) @import)
(export_statement !declaration !value) @export
(export_statement value: (identifier)) @export
(program (expression_statement (assignment_expression left: (member_expression) @_exports
    (#eq? @_exports "module.exports"))) @export)
`;

export const ecmaScriptNodes = {
    wrappers: [
        "export_statement",
        "lexical_declaration",
        "variable_declaration",
        "ambient_declaration",
        "expression_statement",
    ],
    attributes: ["decorator"],
} satisfies Partial<TreeReader>;

export const javascript: Language = {
    id: "javascript",
    extensions: [".js", ".jsx", ".mjs", ".cjs"],
    interpreters: ["node"],
    blockKind: "js_ts_symbol",
    blockPrefix: "js",
    reader: {
        kind: "tree",
        grammar: "javascript",
        query: `${ecmaScriptQuery}
(field_definition property: (_) @name value: ${FUNCTION} @value) @method
(field_definition property: (_) @name) @property
`,
        ...ecmaScriptNodes,
    },
};
