import type { VendorBlock, VendorRequest } from "../helpers/vendors/messages-server.js";

/** All results of calls in a request, by the call's id, as the model reads them. */
export function resultsIn(request: VendorRequest | undefined): Record<string, ToolAnswer> {
    const blocks = request?.messages.flatMap(({ content }) => content) ?? [];
    const results = blocks.filter(({ type }) => type === "tool_result");
    return Object.fromEntries(
        results.map((block) => [String(block.tool_use_id), JSON.parse(String(block.content))])
    );
}

/** What a tool has to say, loosely. */
export interface ToolAnswer {
    readonly ok: boolean;
    readonly data?: Readonly<Record<string, unknown>>;
    readonly error?: { readonly code: string; readonly message: string; readonly hint?: string };
}

/** What the user has typed, and all other text of the conversation, message by message. */
export function textsIn(request: VendorRequest | undefined): string[] {
    const blocks: readonly VendorBlock[] =
        request?.messages.flatMap(({ content }) => content) ?? [];
    return blocks.flatMap((block) => (block.type === "text" ? String(block.text) : []));
}

/** The messages as the vendor's cache sees them: marks do not count. */
export function unmarked(request: VendorRequest | undefined): unknown[] {
    return (request?.messages ?? []).map(({ role, content }) => ({
        role,
        content: content.map(({ cache_control: _mark, ...block }) => block),
    }));
}
