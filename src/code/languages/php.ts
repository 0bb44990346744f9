import type { Language } from "../language.js";

export const php: Language = {
    id: "php",
    extensions: [".php", ".phtml", ".php5", ".inc"],
    interpreters: ["php"],
    blockKind: "php_symbol",
    blockPrefix: "php",
    reader: {
        kind: "tree",
        grammar: "php",
        query: `
(namespace_definition name: (_) @name) @namespace
(class_declaration name: (_) @name) @class
(interface_declaration name: (_) @name) @interface
(trait_declaration name: (_) @name) @trait
(enum_declaration name: (_) @name) @enum
(function_definition name: (_) @name) @function
(method_declaration name: (_) @name) @method
(property_declaration (property_element name: (variable_name (name) @name))) @property
(const_declaration (const_element . (name) @name)) @const
(program (expression_statement (assignment_expression left: (variable_name (name) @name)
    right: [(anonymous_function) (arrow_function)] @value) @const))
(ERROR "class" . (name) @name @class)
(ERROR "function" . (name) @name @function)
(namespace_use_declaration) @import
`,
        attributes: ["attribute_list"],
    },
};
