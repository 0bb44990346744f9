import { checkInput } from "../base/check-input.js";
import type { Question, ToolContext } from "../plugin/index.js";

/**
 * A tool context for tests. By default the project is empty and every permission is denied; an
 * unset `workspace` or `shell` throws an error that names the missing part.
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
        note: () => {},
        progress: () => {},
        ...parts,
    };
}

function absent<Part extends object>(name: string): Part {
    return new Proxy({} as Part, {
        get: (_target, property) => {
            throw new Error(
                `The tool used ${name}.${String(property)}, which the test did not provide.`
            );
        },
    });
}
