import type { Language } from "../language.js";
import { ecmaScriptNodes, ecmaScriptQuery } from "./javascript.js";

const query = `${ecmaScriptQuery}
(abstract_class_declaration name: (_) @name) @class
(interface_declaration name: (_) @name) @interface
(type_alias_declaration name: (_) @name) @type
(enum_declaration name: (_) @name) @enum
(internal_module name: (_) @name) @namespace
(module name: (string) @name) @module
(module name: [(identifier) (nested_identifier)] @name) @namespace
(function_signature name: (_) @name) @function
(method_signature name: (_) @name) @method
(abstract_method_signature name: (_) @name) @method
(public_field_definition name: (_) @name
    value: [(arrow_function) (function_expression)] @value) @method
(public_field_definition name: (_) @name) @property
(ambient_declaration (lexical_declaration (variable_declarator name: (identifier) @name) @const))
(ambient_declaration (variable_declaration (variable_declarator name: (identifier) @name) @const))
`;

export const typescript: Language = {
    id: "typescript",
    extensions: [".ts", ".mts", ".cts"],
    // CMake's time stamps begin with a comment, Qt's translations with XML.
    otherFormat: /^\s*(?:#[^!]|<\?xml|<!DOCTYPE)/,
    blockKind: "js_ts_symbol",
    blockPrefix: "ts",
    reader: { kind: "tree", grammar: "typescript", query, ...ecmaScriptNodes },
};

export const tsx: Language = {
    id: "tsx",
    extensions: [".tsx"],
    blockKind: "js_ts_symbol",
    blockPrefix: "ts",
    reader: { kind: "tree", grammar: "tsx", query, ...ecmaScriptNodes },
};
