import type { ChildProcess } from "node:child_process";
import { NorthError } from "./north-error.js";

/**
 * A child that has just been started. Throws `no-descriptors` if too many files are open: Node then
 * gives it no streams, and emits an error that ends North if nobody listens.
 */
export function withStreams<Child extends ChildProcess>(child: Child): Child {
    const { stdio }: { readonly stdio?: unknown } = child;
    if (stdio !== undefined) return child;
    child.on("error", () => {});
    throw new NorthError("no-descriptors", "No program can be started: too many files are open.", [
        "Raise the limit with `ulimit -n`, or close some programs.",
    ]);
}
