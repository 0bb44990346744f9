import type { Node } from "web-tree-sitter";

/**
 * The ids of the commands whose exit code is the one of the whole line: the last statement, and what
 * is joined to it by `&&`. After a pipe or `||`, or in the background, the code is another one's.
 */
export function decidingCommands(root: Node): ReadonlySet<number> {
    const found = new Set<number>();
    const waiting: (Node | null)[] = [root];
    for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
        switch (node?.type) {
            case "program":
            case "subshell":
            case "compound_statement":
                waiting.push(lastStatement(node));
                break;
            case "list":
                if (node.children.every((child) => child?.type !== "||")) {
                    waiting.push(...node.namedChildren);
                }
                break;
            case "redirected_statement":
                waiting.push(node.childForFieldName("body"));
                break;
            case "command":
                found.add(node.id);
                break;
            default:
        }
    }
    return found;
}

/** Whether the last statement goes on in the background. */
export function endsInBackground(root: Node): boolean {
    const last = root.children.findLast((child) => child?.isNamed && child.type !== "comment");
    return last?.nextSibling?.type === "&";
}

function lastStatement(node: Node): Node | null {
    const last = node.namedChildren.findLast((child) => child?.type !== "comment");
    return !last || last.nextSibling?.type === "&" ? null : last;
}
