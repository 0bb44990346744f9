import type { Language } from "../language.js";

const RECEIVER = `[
    (type_identifier) @parent
    (generic_type type: (type_identifier) @parent)
    (pointer_type [(type_identifier) @parent (generic_type type: (type_identifier) @parent)])
]`;

export const go: Language = {
    id: "go",
    extensions: [".go"],
    blockKind: "go_symbol",
    blockPrefix: "go",
    reader: {
        kind: "tree",
        grammar: "go",
        query: `
(function_declaration name: (_) @name) @function
(method_declaration receiver: (parameter_list (parameter_declaration type: ${RECEIVER}))
    name: (_) @name) @method
(method_elem name: (_) @name) @method
(type_spec name: (_) @name type: (struct_type)) @struct
(type_spec name: (_) @name type: (interface_type)) @interface
(type_spec name: (_) @name) @type
(type_alias name: (_) @name) @type
(source_file (const_declaration (const_spec (identifier) @name) @const))
(source_file (var_declaration
    (var_spec name: (identifier) @name value: (expression_list . (func_literal) @value)) @const))
(source_file (var_declaration (var_spec_list
    (var_spec name: (identifier) @name value: (expression_list . (func_literal) @value)) @const)))
(ERROR "func" . (identifier) @name @function)
(import_declaration) @import
`,
        wrappers: ["type_declaration", "const_declaration", "var_declaration"],
    },
};
