import type { Mode } from "./message.js";
import type { Workspace } from "./workspace.js";

/** A text about the project, sent to the model as data and never as the user's words. */
export interface ContextPart {
    /** The group that `/context` sums it up in: `rules`, `memory`, `skills`. */
    readonly kind: string;
    /** Unique within its source; a later part with the same id replaces an earlier one. */
    readonly id: string;
    readonly text: string;
    /** Where it is from, such as a path; listed by `/context`. */
    readonly origin?: string;
}

/** All context given in a conversation, by id, in its latest wording. */
export type ToldContext = ReadonlyMap<string, ContextPart>;

export interface ContextRequest {
    readonly workspace: Workspace;
    /** The source's own parts that the model has. One that is word for word the same is not sent again. */
    readonly told: ToldContext;
    readonly signal: AbortSignal;
    /**
     * Reads the beginning of a text of the repository that is written for assistants. `undefined` if
     * there is none, or if it must not be sent (a link, ignored, secret, outside), which the user is told.
     */
    guidance(
        path: string,
        maxBytes: number
    ): Promise<{ readonly text: string; readonly truncated: boolean } | undefined>;
}

/**
 * Contributes context to the messages of conversations. Each call has 5 seconds. What a source throws, or
 * returns beyond 64 KB, costs one line and nothing else.
 */
export interface ContextSource {
    readonly name: string;
    /** Called once the prompt is on the screen: start slow work here. */
    prepare?(request: Pick<ContextRequest, "workspace" | "guidance">): void;
    /** Ends what `prepare` has started; the session ends within half a second. */
    close?(): Promise<void>;
    /** The context of a conversation, sent with its first message; with a resumed one, what has changed. */
    begin?(request: ContextRequest): Promise<readonly ContextPart[]>;
    /** The context of files that the model or the user has touched, relative to the root. */
    forFiles?(paths: readonly string[], request: ContextRequest): Promise<readonly ContextPart[]>;
    /** The context that goes with a message of the user; `text` is what was typed of it. */
    forMessage?(
        message: { readonly text: string; readonly mode: Mode },
        request: ContextRequest
    ): Promise<readonly ContextPart[]>;
}
