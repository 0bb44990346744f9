import type { Language } from "../language.js";

/**
 * Macros appear where the grammar expects nothing: `class API Widget`, `INLINE int f()`,
 * `Q_OBJECT`. Without a preprocessor, only their usual spelling in capitals tells.
 */
const MACRO = String.raw`\b_{0,2}[A-Z][A-Z0-9_]{1,60}\b`;

const CALL = String.raw`(?:\([^()\n]*(?:\([^()\n]*\)[^()\n]*)*\))`;

/** Each matches a macro as its only group, in code outside directives. */
const MACROS: readonly RegExp[] = [
    // On its own line, with no body after it: Q_OBJECT, BEGIN_NAMESPACE, UPROPERTY(EditAnywhere).
    new RegExp(String.raw`^[ \t]*(${MACRO}${CALL}?)[ \t]*(?:;[ \t]*)?(?://.*)?$(?!\s*[{:])`, "gm"),
    // After the keyword: class API Widget : public Base {
    new RegExp(
        String.raw`\b(?:class|struct|union|enum)[ \t]+(${MACRO}${CALL}?)\s+(?=\w+\s*(?:final\s*)?[:{;<])`,
        "g"
    ),
    // Before a type or a constructor: INLINE static int f(), INLINE Widget(
    new RegExp(
        String.raw`\b(?<=^[ \t]{0,200}|[\w*&>][ \t]{1,200})(${MACRO}${CALL}?)\s+(?=(?:(?:const|static|inline|virtual|explicit|constexpr|operator|typename|unsigned|template|friend|extern|struct)\b|~?[A-Za-z_][\w:]*(?:<[^;{}\n]*>)?\s*(?:\(|[*&]+\s*[A-Za-z_]|[A-Za-z_])))`,
        "gm"
    ),
    // After the parameters: void f() NOEXCEPT {
    new RegExp(
        String.raw`\)\s*(?:const\s+)?(${MACRO}${CALL}?)\s*(?=[{;]|override|noexcept|const)`,
        "g"
    ),
];

/** A macro that yields a type: STACK_OF(X509) *names. Replaced by one word. */
const TYPE_MACRO = /\b[A-Z][A-Z0-9_]{1,60}\([A-Za-z_][\w ,*]*\)(?=\s*\*|[ \t]+[A-Za-z_]\w*[;,(])/g;

/** Directives with their continuation lines, which are left alone. */
const DIRECTIVES = /(^[ \t]*#(?:[^\n]*\\\r?\n)*[^\n]*)/m;

// Scopes in which function declarations count: not inside functions, where `Foo x(a);` is a
// variable.
const SCOPES = ["translation_unit", "declaration_list", "field_declaration_list"];
const CONDITIONS = ["preproc_ifdef", "preproc_if", "preproc_else", "preproc_elif"];

/** A query for functions that are declared but not defined, also through a pointer or reference. */
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

function blankMacros(code: string): string {
    let result = code.replace(TYPE_MACRO, (macro) => macro.replace(/\W/g, "_"));
    for (const pattern of MACROS) {
        result = result.replace(pattern, (match: string, macro: string) =>
            match.replace(macro, " ".repeat(macro.length))
        );
    }
    return result;
}

/** Blanks out apparent macros, keeping all positions. */
function withoutMacros(text: string): string {
    const parts = text.split(DIRECTIVES);
    return parts.map((part, index) => (index % 2 === 0 ? blankMacros(part) : part)).join("");
}
