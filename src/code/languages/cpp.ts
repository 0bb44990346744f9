import type { Language } from "../language.js";

/**
 * Macros stand where the grammar expects nothing: `class API Widget`, `Q_OBJECT`, `INLINE int f()`.
 * Without a preprocessor they can only be known by how they are usually written: in capitals.
 */
const MACRO = String.raw`\b_{0,2}[A-Z][A-Z0-9_]{1,60}\b`;

const CALL = String.raw`(?:\([^()\n]*(?:\([^()\n]*\)[^()\n]*)*\))`;

/** Each matches a macro in its only group, in code that is not a directive. */
const MACROS: readonly RegExp[] = [
    // A line of its own that no body follows: Q_OBJECT, BEGIN_NAMESPACE, UPROPERTY(EditAnywhere).
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

/** A macro that makes a type: STACK_OF(X509) *names. It becomes one word. */
const TYPE_MACRO = /\b[A-Z][A-Z0-9_]{1,60}\([A-Za-z_][\w ,*]*\)(?=\s*\*|[ \t]+[A-Za-z_]\w*[;,(])/g;

/** Directives with the lines they go on in; their text is for the preprocessor. */
const DIRECTIVES = /(^[ \t]*#(?:[^\n]*\\\r?\n)*[^\n]*)/m;

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

function blankMacros(code: string): string {
    let result = code.replace(TYPE_MACRO, (macro) => macro.replace(/\W/g, "_"));
    for (const pattern of MACROS) {
        result = result.replace(pattern, (match: string, macro: string) =>
            match.replace(macro, " ".repeat(macro.length))
        );
    }
    return result;
}

/** The text with what looks like a macro blanked out, so that every position stays the same. */
function withoutMacros(text: string): string {
    const parts = text.split(DIRECTIVES);
    return parts.map((part, index) => (index % 2 === 0 ? blankMacros(part) : part)).join("");
}
