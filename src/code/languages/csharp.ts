import type { Language } from "../language.js";

export const csharp: Language = {
    id: "csharp",
    extensions: [".cs", ".csx"],
    blockKind: "csharp_symbol",
    blockPrefix: "csharp",
    reader: {
        kind: "tree",
        grammar: "c-sharp",
        query: `
(namespace_declaration name: (_) @name) @namespace
(file_scoped_namespace_declaration name: (_) @name) @namespace
(class_declaration name: (_) @name) @class
(record_declaration "struct" name: (_) @name) @struct
(record_declaration name: (_) @name) @class
(struct_declaration name: (_) @name) @struct
(interface_declaration name: (_) @name) @interface
(enum_declaration name: (_) @name) @enum
(delegate_declaration name: (_) @name) @type
(method_declaration name: (_) @name) @method
(constructor_declaration name: (_) @name) @method
(destructor_declaration name: (_) @name) @method
(operator_declaration operator: _ @name) @method
(conversion_operator_declaration type: (_) @name) @method
(local_function_statement name: (_) @name) @function
(property_declaration name: (_) @name) @property
(indexer_declaration "this" @name) @property
(event_declaration name: (_) @name) @property
(event_field_declaration (variable_declaration (variable_declarator name: (_) @name))) @property
(field_declaration (modifier) @_modifier
    (variable_declaration (variable_declarator name: (_) @name))
    (#eq? @_modifier "const")) @const
(ERROR "class" . (identifier) @name @class)
(ERROR "interface" . (identifier) @name @interface)
(using_directive) @import
`,
        attributes: ["attribute_list"],
    },
};
