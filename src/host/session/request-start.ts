import { isOffered } from "../../core/agent/calls/plan-call.js";
import { SHORT_SYSTEM_PROMPT, SYSTEM_PROMPT } from "../../core/message/system-prompt.js";
import { OWN_PLUGIN } from "../../core/registry/registry.js";
import { toToolSchema } from "../../core/registry/tool-schema.js";
import { counted, formatInteger } from "../../base/format.js";
import type { Mode, ModelInfo, ToolSchema } from "../../plugin/index.js";
import type { Project } from "../project/open-project.js";

/** The whole start takes 4,000 tokens: too much of a smaller window, in tokens. */
const SMALL_WINDOW = 32_768;

/** What each request of a conversation starts with. */
interface RequestStart {
    readonly system: string;
    readonly schemas: readonly ToolSchema[];
    /** One sentence, if the model's window is small. */
    readonly leftOut?: string;
}

/** Makes the start of requests; for one mode and size of window it never changes. */
export class RequestStarts {
    private readonly made = new Map<string, RequestStart>();

    constructor(
        private readonly project: Pick<Project, "registry" | "contained">,
        private readonly allowsWebSearch = false
    ) {}

    for(mode: Mode, { contextTokens, webSearch = false }: ModelInfo): RequestStart {
        const isSmall = contextTokens < SMALL_WINDOW;
        const searches = this.allowsWebSearch && webSearch;
        // A plan is carried out next: with the same tools the vendor's cache survives.
        const tools = mode === "ask" ? mode : "agent";
        const key = `${tools} ${isSmall} ${searches}`;
        const start = this.made.get(key) ?? this.make(tools, isSmall, searches);
        this.made.set(key, start);
        return start;
    }

    private make(mode: Mode, isSmall: boolean, searches: boolean): RequestStart {
        const { registry, contained } = this.project;
        const offered = [...registry.tools.values()].filter(
            ({ value }) => isOffered(value, mode, contained) && (searches || !value.searchesWeb)
        );
        const kept = offered.filter(
            ({ plugin, value }) => !isSmall || plugin !== OWN_PLUGIN || value.isEssential
        );
        const schemas = kept.map(({ value }) => toToolSchema(value));
        if (!isSmall) return { system: SYSTEM_PROMPT, schemas };
        const tools = counted(offered.length - kept.length, "tool");
        const leftOut = `The window is below ${formatInteger(SMALL_WINDOW)} tokens: ${tools} and part of the system prompt are left out.`;
        return { system: SHORT_SYSTEM_PROMPT, schemas, leftOut };
    }
}
