import { within } from "../base/waiting.js";
import type {
    Check,
    CheckContext,
    ContextPart,
    ContextRequest,
    ContextSource,
    JournalRecord,
    ObservedEvent,
    Observer,
} from "../plugin/index.js";
import { Problems } from "./contract-error.js";
import { isOneLine } from "./json.js";
import { toolContext } from "./tool-context.js";

const LIMIT_MS = 5_000;
const MAX_BYTES = 64 * 1024;
const METHODS = [
    "beforeMessage",
    "beforeCall",
    "onProposal",
    "afterCall",
    "afterTurn",
    "onEvent",
] as const;

/**
 * Calls every method of a context source and checks the parts it returns. Rejects with a
 * `ContractError`.
 */
export async function checkContextSource(
    source: ContextSource,
    { files = ["README.md"], ...given }: Partial<ContextRequest> & { files?: string[] } = {}
): Promise<readonly ContextPart[]> {
    const problems = new Problems(`Context source ${source.name}`);
    problems.unless(isOneLine(source.name), "it has no name");
    const { workspace, signal } = toolContext();
    const guidance = async () => undefined;
    const request = { workspace, signal, guidance, sent: new Map(), ...given };
    const message = { text: "Hello.", mode: "agent" } as const;
    problems.attempt("prepare", () => source.prepare?.(request));
    const asked = {
        begin: () => source.begin?.(request),
        forFiles: () => source.forFiles?.(files, request),
        forMessage: () => source.forMessage?.(message, request),
    };
    const parts: ContextPart[] = [];
    for (const [method, ask] of Object.entries(asked)) {
        const given = await inTime(method, ask, problems);
        if (given === undefined) continue;
        problems.unless(Array.isArray(given), `${method} must resolve with a list`);
        if (Array.isArray(given)) parts.push(...given);
    }
    await source.close?.();
    for (const { kind, id, text } of parts) {
        const isNamed = isOneLine(kind) && isOneLine(id);
        problems.unless(isNamed, "a part needs kind and id, one line each");
        problems.unless(typeof text === "string" && text !== "", `part ${id} has no text`);
    }
    const bytes = parts.reduce((sum, { text }) => sum + Buffer.byteLength(String(text)), 0);
    const cut = `${bytes} bytes of context; more than ${MAX_BYTES} are cut`;
    problems.unless(bytes <= MAX_BYTES, cut);
    problems.throwAny();
    return parts;
}

/** Calls a check with a sample message, call, change and turn. Rejects with a `ContractError`. */
export async function checkCheck(check: Check, given: Partial<CheckContext> = {}): Promise<void> {
    const problems = new Problems(`Check ${check.name}`);
    problems.unless(isOneLine(check.name), "it has no name");
    const hasMethod = METHODS.some((method) => check[method] !== undefined);
    problems.unless(hasMethod, `it has none of ${METHODS.join(", ")}`);
    const { workspace, signal } = toolContext();
    const named = { conversationId: "abc123", mode: "agent" } as const;
    const context = { workspace, signal, ...named, ...given };
    const call = { callId: "c1", tool: "sample", approval: "none", input: {} } as const;
    const result = { ok: true, data: {} } as const;
    const after = Buffer.from("sample\n");
    const changeSet = { changes: [{ path: "sample.txt", before: null, beforeHash: null, after }] };
    const asked: Record<(typeof METHODS)[number], () => Promise<unknown> | undefined> = {
        beforeMessage: () => check.beforeMessage?.("Hello.", context),
        beforeCall: () => check.beforeCall?.(call, context),
        onProposal: () => check.onProposal?.(changeSet, context),
        afterCall: () => check.afterCall?.({ ...call, result }, context),
        afterTurn: () => check.afterTurn?.("Done.", context),
        onEvent: () => check.onEvent?.({ type: "session-ended" }, context),
    };
    for (const [method, ask] of Object.entries(asked)) {
        const said = await inTime(method, ask, problems, check.timeLimitMs);
        const isFit = method === "onProposal" ? Array.isArray(said) : typeof said === "object";
        problems.unless(said === undefined || isFit, `${method} resolved with ${String(said)}`);
    }
    problems.throwAny();
}

/** Feeds an observer a short conversation's records and events. Rejects with a `ContractError`. */
export async function checkObserver(observer: Observer): Promise<void> {
    const problems = new Problems(`Observer ${observer.name}`);
    problems.unless(isOneLine(observer.name), "it has no name");
    const isDeaf = observer.observe === undefined && observer.onEvent === undefined;
    problems.unless(!isDeaf, "it has neither observe nor onEvent");
    const place = { conversationId: "abc123" };
    for (const record of RECORDS) {
        const observe = async () => observer.observe?.(record, place);
        await inTime(`observe of ${record.type}`, observe, problems);
    }
    for (const event of EVENTS) {
        const tell = async () => observer.onEvent?.(event, place);
        await inTime(`onEvent of ${event.type}`, tell, problems);
    }
    problems.throwAny();
}

const at = 0;
const model = { provider: "sample", model: "sample-1" };
const RECORDS: readonly JournalRecord[] = [
    {
        ...{ type: "conversation_started", version: 1, id: "abc123", at },
        ...{ root: "/sample", rootHash: "0".repeat(16), ...model },
    },
    {
        type: "entry_added",
        entry: { kind: "user", id: "e1", at, mode: "agent", text: "Hello.", content: [] },
    },
    {
        type: "entry_added",
        entry: { kind: "assistant", id: "e2", at, status: "streaming", content: [], ...model },
    },
    { type: "entry_updated", id: "e2", appendText: "Hello.", changes: { status: "complete" } },
    // Later versions of North may add record types.
    { type: "not_known_yet" } as never,
    { type: "conversation_ended", at },
];
const cost = { usage: {}, costUsd: null };
const EVENTS: readonly ObservedEvent[] = [
    { type: "turn-started", at, turnId: "t1", mode: "agent" },
    { type: "request-started", at, requestId: "r1", ...model },
    { type: "request-finished", at, requestId: "r1", ...cost, errorCode: "network" },
    { type: "tool-call-started", at, callId: "c1", tool: "sample" },
    { type: "tool-call-finished", at, callId: "c1", tool: "sample", ok: false },
    { type: "turn-finished", at, turnId: "t1", stopReason: "end", requests: 1, ...cost },
];

/** The result; a timeout or an error counts as a problem. */
async function inTime(
    method: string,
    ask: () => Promise<unknown> | undefined,
    problems: Problems,
    limitMs = LIMIT_MS
): Promise<unknown> {
    try {
        return await within(limitMs, Promise.resolve(ask()), () => {
            throw new Error(`nothing within ${limitMs} ms`);
        });
    } catch (error) {
        problems.unless(false, `${method} failed: ${String(error)}`);
        return undefined;
    }
}
