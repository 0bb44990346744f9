import type { Language } from "../language.js";

export const ruby: Language = {
    id: "ruby",
    extensions: [".rb", ".rake", ".gemspec", ".ru"],
    fileNames: ["Gemfile", "Rakefile", "Guardfile", "Vagrantfile"],
    interpreters: ["ruby"],
    blockPrefix: "ruby",
    reader: {
        kind: "tree",
        grammar: "ruby",
        query: `
(module name: (scope_resolution name: (_) @name)) @module
(module name: (constant) @name) @module
(class name: (scope_resolution name: (_) @name)) @class
(class name: (constant) @name) @class
(method name: (_) @name) @function
(singleton_method name: (_) @name) @function
(assignment left: (constant) @name) @const
(assignment left: (scope_resolution name: (constant) @name)) @const
(call method: (identifier) @_method arguments: (argument_list (simple_symbol) @name)
    (#match? @_method "^attr_(reader|writer|accessor)$")) @property
(call method: (identifier) @_method arguments: (argument_list . (simple_symbol) @name)
    (#eq? @_method "define_method")) @method
(call method: (identifier) @_method block: (do_block) @value
    (#match? @_method "^(describe|context|it|specify|feature|scenario|namespace|task)$")
    (#set! name "callback")) @block
(ERROR "class" . (constant) @name @class)
(ERROR "def" . (identifier) @name @function)
(program (call method: (identifier) @_method
    (#match? @_method "^require(_relative)?$")) @import)
`,
        // `Point = Struct.new(:x) do` has methods too.
        methodContainers: ["module", "const"],
    },
};
