import type { Mode } from "./message.js";
import type { Workspace } from "./workspace.js";

/** Context about the project, sent to the model as data, never as the user's words. */
export interface ContextPart {
    /** The group `/context` counts it in: `rules`, `memory`, `skills`. */
    readonly kind: string;
    /** Unique within its source; a later part with the same id replaces an earlier one. */
    readonly id: string;
    readonly text: string;
    /** Its source, such as a path; listed by `/context`. */
    readonly origin?: string;
    /** Others wrote it, as with a tool's `fromOutside`. */
    readonly fromOutside?: true;
}

/** All context sent in a conversation, by id; the latest text of each part. */
export type SentParts = ReadonlyMap<string, ContextPart>;

export interface ContextRequest {
    readonly workspace: Workspace;
    /** This source's parts that were already sent. Unchanged parts are not sent again. */
    readonly sent: SentParts;
    readonly signal: AbortSignal;
    /**
     * Reads up to `maxBytes` of a repository file written for assistants. `undefined` if there is
     * none, or if it must not be sent (a link, ignored, secret, outside), and the user is told.
     */
    guidance(
        path: string,
        maxBytes: number
    ): Promise<{ readonly text: string; readonly truncated: boolean } | undefined>;
}

/**
 * Contributes context to conversations. Each call has 5 seconds. An error, or a result beyond 64
 * KB, is reported in one line and does nothing else.
 */
export interface ContextSource {
    readonly name: string;
    /** Called once the prompt is on the screen: start slow work here. */
    prepare?(request: Pick<ContextRequest, "workspace" | "guidance">): void;
    /** Stops what `prepare` started; the session ends within half a second. */
    close?(): Promise<void>;
    /** Context for the conversation, sent with its first message; on resume, only changes. */
    begin?(request: ContextRequest): Promise<readonly ContextPart[]>;
    /** Context for files that the model or the user has touched; paths are relative to the root. */
    forFiles?(paths: readonly string[], request: ContextRequest): Promise<readonly ContextPart[]>;
    /** Context for one user message; `text` is what the user typed. */
    forMessage?(
        message: { readonly text: string; readonly mode: Mode },
        request: ContextRequest
    ): Promise<readonly ContextPart[]>;
}
