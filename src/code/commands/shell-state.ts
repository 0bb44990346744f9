import type { Node } from "web-tree-sitter";
import type { Word } from "./facts.js";
import { wordsOf, type ShellLine } from "./words.js";
import { ownValue } from "../../base/fields.js";

/**
 * Security: the parts of a line that leave the shell as it is, so that each program name keeps its
 * meaning. What is not listed may change it, such as a function, `alias`, `PATH=` or `source`.
 */
const INERT = new Set([
    ..."program list pipeline subshell compound_statement redirected_statement".split(" "),
    ..."negated_command do_group if_statement elif_clause else_clause while_statement".split(" "),
    ..."case_statement case_item test_command unary_expression binary_expression".split(" "),
    ..."parenthesized_expression test_operator regex extglob_pattern word string".split(" "),
    ..."string_content raw_string ansi_c_string concatenation number simple_expansion".split(" "),
    ..."command_substitution process_substitution file_redirect file_descriptor".split(" "),
    ..."heredoc_redirect heredoc_start heredoc_body heredoc_content heredoc_end".split(" "),
    ..."herestring_redirect comment command_name variable_name special_variable_name".split(" "),
    ..."brace_expression array variable_assignments".split(" "),
]);

/** `compgen -b` and `compgen -k` of bash 5.3: what the shell itself runs, after `time` too. */
export const BUILTINS = new Set(
    ". : [ alias bg bind break builtin caller cd command compgen complete compopt continue declare dirs disown echo enable eval exec exit export false fc fg getopts hash help history jobs kill let local logout mapfile popd printf pushd pwd read readarray readonly return set shift shopt source suspend test times trap true type typeset ulimit umask unalias unset wait if then else elif fi case esac for select while until do done in function time { } ! [[ ]] coproc".split(
        " "
    )
);

type IsInert = (args: readonly Word[], node: Node) => boolean;

const always: IsInert = () => true;
const failing: IsInert = ([code, ...more], node) =>
    more.length === 0 && (code === undefined ? isAlternative(node) : isFailure(code.text));
const testing: IsInert = (args) => args.every(({ text }) => !/^-v$|.\[/.test(text));

/** The builtins that leave the shell as it is, with these arguments. */
const INERT_BUILTINS: Readonly<Record<string, IsInert>> = {
    ...Object.fromEntries(
        ": true false echo pwd cd pushd popd dirs type times help jobs kill shopt shift break continue"
            .split(" ")
            .map((name) => [name, always])
    ),
    ...{ exit: failing, return: failing, test: testing, "[": testing },
    printf: ([format]) => format?.kind === "literal" && !format.text.startsWith("-"),
    read: (names) =>
        names.every(({ text }) => /^-[rs]+$/.test(text) || KEPT_TO_THE_SHELL.test(text)),
    set: (options) =>
        options.length > 0 &&
        options.every(({ text }) => /^[-+][eux]*o?$|^(?:errexit|nounset|pipefail)$/.test(text)),
    wait: (jobs) => jobs.every(({ text }) => !text.startsWith("-")),
};

/** Names that no environment has, so that what a line sets stays in the shell. */
const KEPT_TO_THE_SHELL = /^(?!npm_)[a-z]+(?:_[a-z]+)*$/;
/** Variables of programs that change how they print, and not what they run. */
const GIVEN =
    /^(?:CI|NODE_ENV|NO_COLOR|FORCE_COLOR|CLICOLOR|TZ|LANG|LC_ALL|TERM|COLUMNS|RUST_BACKTRACE|PYTHONUNBUFFERED|PYTHONDONTWRITEBYTECODE)$/;

/** Whether an assignment such as `CI=1` may be given to a program without changing what it runs. */
export function isGivenSafely(assignment: string): boolean {
    const [name = ""] = assignment.split("=", 1);
    return GIVEN.test(name);
}

/** Whether a script may have exited with this code only if it failed. */
export function isFailure(exitCode: string): boolean {
    return /^\d{1,3}$/.test(exitCode) && Number(exitCode) >= 1 && Number(exitCode) <= 255;
}

/**
 * Whether each program name means the same in all of the line, and after it, and none of it ends
 * early with success.
 */
export function leavesShell(root: Node, line: ShellLine): boolean {
    const waiting = [root];
    for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
        if (node.isError || node.isMissing) return false;
        if (!node.isNamed) continue;
        if (!INERT.has(node.type) && !isInert(node, line)) return false;
        waiting.push(...node.children.filter((child) => child !== null));
    }
    return true;
}

function isInert(node: Node, line: ShellLine): boolean {
    switch (node.type) {
        case "command":
            return isInertCommand(node, line);
        case "variable_assignment": {
            const [name = ""] = node.text.split(/\+?=/, 1);
            const isKept = !/^(?:command|declaration_command)$/.test(node.parent?.type ?? "");
            return GIVEN.test(name) || (isKept && KEPT_TO_THE_SHELL.test(name));
        }
        case "declaration_command":
            return node.namedChildren.every((child) => child?.type === "variable_assignment");
        case "for_statement":
            return KEPT_TO_THE_SHELL.test(node.childForFieldName("variable")?.text ?? "");
        case "expansion":
            // Not `${PATH:=…}`, nor an index, whose arithmetic may assign.
            return /^\$\{[#!]?\w+(?:(?::?[-+?]|##?|%%?)[^]*)?\}$/.test(node.text);
        case "arithmetic_expansion":
            return /^[^=]*$/.test(node.text) && !/\+\+|--/.test(node.text);
        default:
            // The operators inside of arithmetic.
            return node.type === "postfix_expression" || node.type === "ternary_expression";
    }
}

function isInertCommand(node: Node, line: ShellLine): boolean {
    const words = wordsOf(node.children, line);
    // These run what follows in the shell itself.
    const at = words.findIndex(({ text }) => !/^(?:time|command|builtin|-p|--)$/.test(text));
    const [name, ...args] = words.slice(at < 0 ? words.length : at);
    if (name === undefined) return true;
    if (name.kind !== "literal") {
        return name.shown.startsWith("((") && /^\(\([^=]*\)\)$/.test(name.shown);
    }
    if (!BUILTINS.has(name.text)) return true;
    return ownValue(INERT_BUILTINS, name.text)?.(args, node) === true;
}

/** Whether it runs only if what is before it failed: `cd a || exit`. */
function isAlternative({ id, parent }: Node): boolean {
    const { children = [] } = parent?.type === "list" ? parent : {};
    return children.at(-1)?.id === id && children.some((child) => child?.type === "||");
}
