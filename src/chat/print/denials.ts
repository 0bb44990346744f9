import type { AgentEvent } from "../../core/agent/events.js";

/** What a run did not allow. */
export interface Denial {
    /** The name of the tool; `file` for a streamed file. */
    readonly tool: string;
    /** The command, the paths, or the question. */
    readonly what: string;
}

export class Denials {
    readonly list: Denial[] = [];
    private readonly tools = new Map<string, string>();

    follow(event: AgentEvent): void {
        if (event.type === "tool-call-started") this.tools.set(event.callId, event.name);
        if (event.type !== "review-settled" || event.status !== "denied") return;
        this.list.push({ tool: this.tools.get(event.callId) ?? "file", what: event.what });
    }
}
