import type { Language } from "../language.js";

/** A test whose operator is in a variable, such as `[ $op "$file" ]`: it derails the grammar. */
const TEST_WITHOUT_OPERATOR = /\[ (?:"[^"\n]*"|\$\w+) (?:"[^"\n]*"|\$\w+) \]/g;

export const bash: Language = {
    id: "bash",
    extensions: [".sh", ".bash", ".zsh", ".ksh", ".bats"],
    fileNames: [".bashrc", ".bash_profile", ".profile", ".zshrc"],
    interpreters: ["bash", "sh", "zsh", "dash", "ksh"],
    blockPrefix: "bash",
    reader: {
        kind: "tree",
        grammar: "bash",
        query: `
(function_definition name: (_) @name) @function
(ERROR (word) @name @function . "(" . ")")
(ERROR "function" . (word) @name @function)
(program (command name: (command_name) @_command (#match? @_command "^(source|\\\\.)$")) @import)
`,
        repair: (text) => text.replace(TEST_WITHOUT_OPERATOR, (test) => ":".padEnd(test.length)),
    },
};
