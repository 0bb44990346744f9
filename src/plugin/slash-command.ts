import type { ModelInfo } from "./provider.js";

/** Ask mode has the read-only tools, agent mode all of them. */
export type Mode = "ask" | "agent";

/** One choice of a picker. */
export interface PickerOption {
    readonly id: string;
    readonly label: string;
    readonly hint?: string;
}

/** A price in US dollars; `unpriced` counts requests whose price is unknown. */
export interface CostTotal {
    readonly costUsd: number;
    readonly requests: number;
    readonly unpricedRequests: number;
    readonly inputTokens: number;
    readonly outputTokens: number;
}

/** Costs of one model. */
export interface ModelCost extends CostTotal {
    readonly provider: string;
    readonly model: string;
}

/** A command the user allowed for good; `cwd` is relative to the root, `""` being the root. */
export interface AllowedCommand {
    readonly command: string;
    readonly cwd: string;
}

/** What is approved without asking in this project. */
export interface AutomaticApprovals {
    readonly editsAutoAccept: boolean;
    readonly shellAutoApprove: boolean;
}

/** The services a slash command may use; each acts on the conversation it was typed in. */
export interface SlashContext {
    /** Prints lines in the scrollback. */
    print(text: string): void;
    /** Lets the user choose with a search; `undefined` when cancelled. */
    pick(title: string, options: readonly PickerOption[]): Promise<string | undefined>;
    /** Leaves North after this command. */
    quit(): void;
    /** Clears the screen and keeps the conversation. */
    clearScreen(): void;
    readonly commands: readonly SlashCommand[];
    readonly conversation: {
        readonly id: string;
        /** Starts a new conversation and keeps the shell. */
        startNew(): Promise<void>;
    };
    readonly models: {
        readonly current: ModelInfo;
        list(): Promise<
            readonly {
                readonly model: ModelInfo;
                readonly provider: string;
                readonly hasKey: boolean;
            }[]
        >;
        /** By alias or id; remembered for later conversations. Rejects with `unknown-model`. */
        select(name: string): Promise<ModelInfo>;
    };
    readonly mode: { get(): Mode; set(mode: Mode): void };
    readonly costs: {
        conversation(): Promise<readonly ModelCost[]>;
        allTime(): Promise<readonly ModelCost[]>;
    };
    readonly approvals: {
        automatic(): Promise<AutomaticApprovals>;
        setAutomatic(change: Partial<AutomaticApprovals>): Promise<void>;
        allowedCommands(): Promise<readonly AllowedCommand[]>;
        removeCommand(command: AllowedCommand): Promise<void>;
    };
}

/** One completion of an argument. */
export interface Completion {
    readonly value: string;
    readonly description?: string;
}

/** A `/command` of the chat. */
export interface SlashCommand {
    /** Without the slash; lower case and dashes. */
    readonly name: string;
    /** One line for `/help`. */
    readonly description: string;
    /** `/model [alias]`. */
    readonly usage: string;
    /** Completions of the argument typed so far. */
    complete?(
        argument: string,
        context: SlashContext
    ): readonly Completion[] | Promise<readonly Completion[]>;
    /** May reject with an `ExpectedError`, which is shown; the conversation goes on. */
    run(argumentsText: string, context: SlashContext): Promise<void>;
}
