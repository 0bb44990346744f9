import type { EditorFiles } from "../core/editor-files.js";
import type { ContentStore } from "../core/conversation/content-store.js";
import type { Session } from "../core/session.js";
import type { ConversationInfo, McpServers, Tool } from "../plugin/index.js";

export interface EditorSessionParts {
    readonly session: Session;
    /** File contents before and after each change. */
    readonly contents: ContentStore;
    readonly notices: readonly string[];
    findTool(name: string): Pick<Tool, "approval" | "kind"> | undefined;
    onBug(error: unknown): void;
}

export interface OpenOptions {
    /** Absolute path. */
    readonly folder: string;
    /** The conversation to resume; absent for a new one. */
    readonly resume?: string | undefined;
    readonly files?: EditorFiles | undefined;
    readonly mcpServers?: McpServers;
}

export interface EditorHost {
    readonly version: string;
    /** Whether the plugin that connects MCP servers is installed. */
    readonly connectsServers: boolean;
    /** Rejects with `no-api-key`. */
    open(options: OpenOptions): Promise<EditorSessionParts>;
    /** Rejects with `no-api-key` if a session could not be opened for lack of one. */
    requireKey(): Promise<void>;
    /** Newest first. Lists the project around `folder`, or all projects if absent. */
    list(folder?: string): Promise<readonly ConversationInfo[]>;
    /** Does nothing if there is no such conversation. */
    remove(id: string): Promise<void>;
}
