import type { Node } from "web-tree-sitter";
import type { Fact } from "./facts.js";
import { isFailure } from "./shell-state.js";

/** A command line passed to a shell, and the folder it starts in. */
export interface Script {
    readonly text: string;
    readonly folder: string | undefined;
    readonly from: Omit<CheckRun, "name" | "places">;
}

/** A test, lint, type check or build that a command line runs. */
export interface CheckRun {
    /** Folder, program and arguments, without wrappers. */
    readonly name: string;
    /** The part of the line it is in, as typed. */
    readonly statement: string;
    /** Whether it passed if the line exits with 0. If not, it or what it is joined with failed. */
    readonly decides: boolean;
    /** Whether a program that may write files runs after it. */
    readonly isFollowed: boolean;
    /** What the text says of files after it. */
    readonly later: readonly Fact[];
    /** Whether a shell runs a text of its own after it. */
    readonly precedesScripts: boolean;
    /**
     * The folder it runs in, and the paths of its programs that are named by one: absolute, or from
     * the folder of the line; `undefined` if unknown.
     */
    readonly places: readonly (string | undefined)[];
}

interface Strictness {
    /** `set -e`: the line ends at its first failure. */
    readonly endsOnFailure: boolean;
    /** `set -o pipefail`: a pipe fails if any part of it does. */
    readonly failsInPipes: boolean;
    /** In `a && b`, bash ignores `set -e` in `a`, even where `a` sets it. */
    readonly isExempt: boolean;
    /** Its exit code is lost, so that it counts only if `set -e` ends the line when it fails. */
    readonly isPassed: boolean;
}

const AT_FIRST: Strictness = {
    ...{ endsOnFailure: false, failsInPipes: false, isExempt: false, isPassed: false },
};

interface OrderedPart extends Strictness {
    readonly node: Node | null;
}

/**
 * The ids of the commands that have passed if the line exits with 0, and one of which has failed if
 * it does not: the last statement, and what is joined to it by `&&`. After a pipe or `||`, or in the
 * background, the exit code is another one's.
 */
export function decidingCommands(root: Node): ReadonlySet<number> {
    const found = new Set<number>();
    const waiting: OrderedPart[] = [{ node: root, ...AT_FIRST }];
    for (let part = waiting.pop(); part !== undefined; part = waiting.pop()) {
        const { node, ...strictness } = part;
        const inside = (nodes: readonly (Node | null)[]) =>
            waiting.push(...nodes.map((each) => ({ node: each, ...strictness })));
        switch (node?.type) {
            case "program":
            case "compound_statement":
                waiting.push(...decidingStatements(node, strictness));
                break;
            case "subshell":
                waiting.push(...decidingStatements(node, { ...strictness, isPassed: false }));
                break;
            case "list":
                waiting.push(...decidingOperands(node, strictness));
                break;
            case "pipeline":
                // `! a | b` negates both.
                if (node.firstNamedChild?.type === "negated_command") break;
                inside(strictness.failsInPipes ? node.namedChildren : [lastOf(node)]);
                break;
            case "redirected_statement":
                inside(decidingBodies(node));
                break;
            case "command":
                found.add(node.id);
                break;
            default:
        }
    }
    return found;
}

/** Whether the last statement continues in the background. */
export function endsInBackground(root: Node): boolean {
    const last = root.children.findLast((child) => child?.isNamed && child.type !== "comment");
    return last?.nextSibling?.type === "&";
}

/** The statement of the whole line that a node is in. */
export function statementOf(node: Node): Node {
    let statement = node;
    for (let { parent } = node; parent && parent.type !== "program"; { parent } = parent) {
        statement = parent;
    }
    return statement;
}

/** Where everything that runs together with a command ends: its pipe, and where its output goes. */
export function endOfRun(node: Node): number {
    let end = node.endIndex;
    for (let { parent } = node; parent && parent.type !== "list"; { parent } = parent) {
        // What follows a here-document is inside of it: `pytest <<END && rm a`.
        const isRedirected =
            parent.type === "redirected_statement" &&
            parent.children.every((child) => child?.type !== "heredoc_redirect");
        if (parent.type === "pipeline" || isRedirected) end = parent.endIndex;
    }
    return end;
}

function decidingStatements(block: Node, given: Strictness): readonly OrderedPart[] {
    const statements = block.namedChildren.filter((child) => child?.type !== "comment");
    let { endsOnFailure, failsInPipes } = given;
    const { isExempt, isPassed } = given;
    return statements.flatMap((node, index): readonly OrderedPart[] => {
        const options =
            node?.type === "command" ? /^set\s+([^;|&]*)/.exec(node.text)?.[1] : undefined;
        if (options !== undefined) {
            if (/(?:^|\s)-\w*e|errexit/.test(options)) endsOnFailure = !/\+o errexit/.test(options);
            if (/(?:^|\s)\+\w*e/.test(options)) endsOnFailure = false;
            if (options.includes("pipefail")) failsInPipes = !/\+o pipefail/.test(options);
        }
        const isLast = index === statements.length - 1;
        if (node?.nextSibling?.type === "&") return [];
        const part = { node, endsOnFailure, failsInPipes, isExempt };
        if (isLast) return [{ ...part, isPassed }];
        return endsOnFailure && !isExempt ? [{ ...part, isPassed: true }] : [];
    });
}

/** Of `a && b` both, of `a || exit 1` the first, of `a || b` none. */
function decidingOperands(list: Node, given: Strictness): readonly OrderedPart[] {
    const right = lastOf(list);
    const [left = null] = list.namedChildren;
    const first = { ...given, node: left, isExempt: true, isPassed: false };
    if (list.children.every((child) => child?.type !== "||")) {
        // If the first fails, `set -e` ends nothing.
        return given.isPassed ? [] : [first, { ...given, node: right }];
    }
    return right !== null && alwaysFails(right) ? [first] : [];
}

function alwaysFails(node: Node): boolean {
    const last = /^(?:compound_statement|subshell)$/.test(node.type) ? lastOf(node) : node;
    if (last?.type !== "command") return false;
    const [, code] = /^(?:exit|return)\s+(\d+)$/.exec(last.text) ?? [];
    return last.text === "false" || (code !== undefined && isFailure(code));
}

/** The body, and what follows a here-document on its first line: `cat <<END && npm test`. */
function decidingBodies(node: Node): readonly (Node | null)[] {
    const document = node.namedChildren.find((child) => child?.type === "heredoc_redirect");
    const right = document?.childForFieldName("right") ?? null;
    const operator = document?.childForFieldName("operator")?.type;
    if (right === null) {
        const isPiped = document?.namedChildren.some((child) => child?.type === "pipeline");
        return isPiped ? [] : [node.childForFieldName("body")];
    }
    return operator === "&&" ? [node.childForFieldName("body"), right] : [];
}

function lastOf(node: Node): Node | null {
    return node.namedChildren.findLast((child) => child?.type !== "comment") ?? null;
}
