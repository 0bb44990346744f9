import type { ContextRequest } from "./context.js";

/** Instructions for sub-agents of one kind: https://code.claude.com/docs/en/sub-agents */
export interface AgentInfo {
    readonly name: string;
    readonly description: string;
    /** Who wrote it: the user, or the repository's authors. */
    readonly owner: "user" | "repository";
    /** Its file: relative to the root, or below `~`. */
    readonly file: string;
    /** As written: an alias, an id, or `inherit`. */
    readonly model?: string;
    /** Names of North's tools or Claude Code's; absent: all. */
    readonly tools?: readonly string[];
    readonly withoutTools?: readonly string[];
    /** What of its front matter has no effect, one clause each. */
    readonly ignored: readonly string[];
}

export interface AgentList {
    readonly agents: readonly AgentInfo[];
    /** Why files were left out, one sentence each. */
    readonly problems: readonly string[];
}

export interface AgentListRequest extends Pick<ContextRequest, "workspace" | "guidance"> {
    /** Names of tools from plugins other than North's own. */
    readonly pluginTools: readonly string[];
}
