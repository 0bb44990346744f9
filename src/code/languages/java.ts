import type { Language } from "../language.js";

export const java: Language = {
    id: "java",
    extensions: [".java"],
    blockKind: "java_symbol",
    blockPrefix: "java",
    reader: {
        kind: "tree",
        grammar: "java",
        query: `
(package_declaration (_) @name .) @namespace
(class_declaration name: (_) @name) @class
(record_declaration name: (_) @name) @class
(interface_declaration name: (_) @name) @interface
(annotation_type_declaration name: (_) @name) @interface
(enum_declaration name: (_) @name) @enum
(method_declaration name: (_) @name) @method
(constructor_declaration name: (_) @name) @method
(compact_constructor_declaration name: (_) @name) @method
(annotation_type_element_declaration name: (_) @name) @method
(constant_declaration declarator: (variable_declarator name: (_) @name)) @const
(field_declaration (modifiers) @_modifiers declarator: (variable_declarator name: (_) @name)
    (#match? @_modifiers "\\\\bstatic\\\\b")
    (#match? @_modifiers "\\\\bfinal\\\\b")) @const
(ERROR "class" . (identifier) @name @class)
(ERROR "interface" . (identifier) @name @interface)
(import_declaration) @import
`,
        attributes: ["annotation", "marker_annotation"],
    },
};
