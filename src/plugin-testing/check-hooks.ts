import { within } from "../base/waiting.js";
import type {
    Check,
    CheckContext,
    ContextPart,
    ContextRequest,
    ContextSource,
} from "../plugin/index.js";
import { Problems } from "./contract-error.js";
import { isOneLine } from "./json.js";
import { toolContext } from "./tool-context.js";

const LIMIT_MS = 5_000;
const MAX_BYTES = 64 * 1024;
const METHODS = ["beforeMessage", "beforeCall", "onProposal", "afterCall", "afterTurn"] as const;

/**
 * Asks a context source for everything it may be asked for, and checks the parts. Rejects with a
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
    const request = { workspace, signal, guidance, told: new Map(), ...given };
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
        problems.unless(
            isOneLine(kind) && isOneLine(id),
            "a part needs kind and id, one line each"
        );
        problems.unless(typeof text === "string" && text !== "", `part ${id} has no text`);
    }
    const bytes = parts.reduce((sum, { text }) => sum + Buffer.byteLength(String(text)), 0);
    problems.unless(
        bytes <= MAX_BYTES,
        `${bytes} bytes of context; more than ${MAX_BYTES} are cut`
    );
    problems.throwAny();
    return parts;
}

/** Asks a check about a message, a call, a change and the end of a turn. Rejects with a `ContractError`. */
export async function checkCheck(check: Check, given: Partial<CheckContext> = {}): Promise<void> {
    const problems = new Problems(`Check ${check.name}`);
    problems.unless(isOneLine(check.name), "it has no name");
    problems.unless(
        METHODS.some((method) => check[method] !== undefined),
        `it has none of ${METHODS.join(", ")}`
    );
    const { workspace, signal } = toolContext();
    const context = {
        workspace,
        signal,
        conversationId: "abc123",
        mode: "agent",
        ...given,
    } as const;
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
    };
    for (const [method, ask] of Object.entries(asked)) {
        const said = await inTime(method, ask, problems, check.timeLimitMs);
        const isFit = method === "onProposal" ? Array.isArray(said) : typeof said === "object";
        problems.unless(said === undefined || isFit, `${method} resolved with ${String(said)}`);
    }
    problems.throwAny();
}

/** What was answered; taking too long and an error are problems. */
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
