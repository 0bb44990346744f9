import type { Language } from "../language.js";
import { withoutMacros } from "./cpp-macros.js";

// Where declarations of functions count: not inside functions, where `Foo x(a);` is a variable.
const SCOPES = ["translation_unit", "declaration_list", "field_declaration_list"];
const CONDITIONS = ["preproc_ifdef", "preproc_if", "preproc_else", "preproc_elif"];

/** A function declared and not defined, its declarator possibly a pointer or reference to it. */
function declaredFunctions(node: string): string {
    const declarators = `[
        (function_declarator)
        (pointer_declarator (function_declarator))
        (pointer_declarator (pointer_declarator (function_declarator)))
        (reference_declarator (function_declarator))
    ] @declarator`;
    return `(${node} declarator: ${declarators}) @function`;
}

const declared = [...SCOPES, ...CONDITIONS, "linkage_specification", "template_declaration"]
    .map((scope) => `(${scope} ${declaredFunctions("declaration")})`)
    .join("\n");

export const cpp: Language = {
    id: "cpp",
    extensions: [
        ...[".cpp", ".cc", ".cxx", ".c++", ".hpp", ".hh", ".hxx", ".h++"],
        ...[".ipp", ".tpp", ".inl", ".c", ".h", ".cu", ".cuh"],
    ],
    blockPrefix: "cpp",
    reader: {
        kind: "tree",
        grammar: "cpp",
        query: `
(namespace_definition name: (_) @name) @namespace
(class_specifier name: (_) @name body: (_)) @class
(struct_specifier name: (_) @name body: (_)) @struct
(union_specifier name: (_) @name body: (_)) @struct
(enum_specifier name: (_) @name body: (_)) @enum
(alias_declaration name: (_) @name) @type
(concept_definition name: (_) @name) @type
(type_definition declarator: (_) @declarator) @type
(function_definition declarator: (_) @declarator) @function
${declaredFunctions("field_declaration")}
${declared}
(preproc_function_def name: (_) @name) @function
(preproc_include) @import
(using_declaration) @import
`,
        repair: withoutMacros,
        wrappers: ["template_declaration"],
        attributes: ["attribute_declaration", "template_parameter_list"],
    },
};
