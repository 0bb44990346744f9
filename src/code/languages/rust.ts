import type { Language } from "../language.js";

export const rust: Language = {
    id: "rust",
    extensions: [".rs"],
    blockKind: "rust_symbol",
    blockPrefix: "rust",
    reader: {
        kind: "tree",
        grammar: "rust",
        query: `
(function_item name: (_) @name) @function
(function_signature_item name: (_) @name) @function
(macro_definition name: (_) @name) @function
(struct_item name: (_) @name) @struct
(union_item name: (_) @name) @struct
(enum_item name: (_) @name) @enum
(trait_item name: (_) @name) @trait
(type_item name: (_) @name) @type
(associated_type name: (_) @name) @type
(mod_item name: (_) @name) @module
(const_item name: (_) @name) @const
(static_item name: (_) @name) @const
(impl_item type: (generic_type type: (scoped_type_identifier name: (_) @name))) @impl
(impl_item type: (generic_type type: (_) @name)) @impl
(impl_item type: (scoped_type_identifier name: (_) @name)) @impl
(impl_item type: (_) @name) @impl
(ERROR "fn" . (identifier) @name @function)
(ERROR "struct" . (_) @name @struct)
[(use_declaration) (extern_crate_declaration)] @import
`,
        attributes: ["attribute_item"],
    },
};
