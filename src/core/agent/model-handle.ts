import type {
    ModelConnection,
    ModelInfo,
    ModelRequest,
    Provider,
    ThinkingChoice,
    Tier,
    ToolSchema,
} from "../../plugin/index.js";
import type { Budget } from "../costs/budget.js";
import type { Ledger } from "../costs/ledger.js";

/** The model of a turn, and what it costs. */
export interface ModelHandle {
    readonly provider: Provider;
    readonly info: ModelInfo;
    readonly thinking: ThinkingChoice;
    /** Used by those models of the turn that have it. */
    readonly tier?: Tier | undefined;
    readonly connection: ModelConnection;
    readonly ledger: Pick<Ledger, "record">;
    /** Absent if spending is unlimited. */
    readonly budget?: Budget | undefined;
    /** What continues in its place when it is overloaded, the next one first. */
    readonly fallbacks?: readonly Fallback[];
}

/** A model that continues the turn when its own is overloaded. */
export interface Fallback {
    /** `provider/id`. */
    readonly name: string;
    /** Rejects if it cannot be used, such as with `no-api-key`. */
    open(): Promise<{
        readonly model: Pick<ModelHandle, "provider" | "info" | "thinking" | "connection">;
        readonly request?: Pick<ModelRequest, "system"> & {
            readonly schemas: readonly ToolSchema[];
        };
    }>;
}
