import type { ToolContext } from "../../../plugin/index.js";
import type { Turn } from "../turn.js";
import type { Outlet } from "./relay.js";

/** What carrying out one call needs. */
export interface CallEnvironment {
    readonly turn: Turn;
    readonly context: ToolContext;
    readonly outlet: Outlet;
    /** The files that the call has read so far. */
    readonly touched: ReadonlySet<string>;
    /** Says that the versions of these files are now what the model knows. */
    observeWritten(path: string, hash: string | null): void;
}
