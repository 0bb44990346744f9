import { checkInput } from "../base/check-input.js";
import type { Question, ToolContext } from "../plugin/index.js";

/**
 * A context to run a tool with. What a test does not give answers like an empty project in which
 * nobody says yes, or, for `workspace` and `shell`, throws an error that names what was used.
 */
export function toolContext(parts: Partial<ToolContext> = {}): ToolContext {
    const seen = new Map<string, string>();
    return {
        workspace: absent("workspace"),
        shell: absent("shell"),
        signal: new AbortController().signal,
        cache: { get: () => undefined },
        observe: (path, hash) => void seen.set(path, hash),
        observed: (path) => seen.get(path),
        permit: async (_question: Question) => false,
        checkInput,
        progress: () => {},
        ...parts,
    };
}

function absent<Part extends object>(name: string): Part {
    return new Proxy({} as Part, {
        get: (_target, property) => {
            throw new Error(
                `The tool used ${name}.${String(property)}, which the test did not give.`
            );
        },
    });
}
