import type {
    AssistantStatus,
    JournalRecord,
    ReviewEntry,
    ReviewStatus,
} from "../../plugin/records.js";
import type { Effort, Mode } from "../../plugin/index.js";
import { isJsonRecord, type JsonRecord } from "../files/json-file.js";

type Check = (value: unknown) => boolean;

const isText: Check = (value) => typeof value === "string";
const isNumber: Check = (value) => typeof value === "number";
const isBoolean: Check = (value) => typeof value === "boolean";
const maybe =
    (check: Check): Check =>
    (value) =>
        value === undefined || check(value);
const listOf =
    (check: Check): Check =>
    (value) =>
        Array.isArray(value) && value.every(check);
/** Takes a table in place of a list, so that the compiler misses no member of the union. */
const oneOf =
    <Text extends string>(texts: Record<Text, true>): Check =>
    (value) =>
        typeof value === "string" && Object.hasOwn(texts, value);

/** A check of an object's fields; those it does not name may be anything. */
function fields(checks: Record<string, Check>): Check {
    const entries = Object.entries(checks);
    return (value) => {
        if (!isJsonRecord(value)) return false;
        for (const [name, check] of entries) if (!check(value[name])) return false;
        return true;
    };
}

const parts: Record<string, Check> = {
    text: fields({ text: isText }),
    image: fields({ mediaType: isText, data: isText }),
    thinking: fields({ text: isText, provider: isText, model: isText }),
    "tool-call": fields({ callId: isText, name: isText, input: isJsonRecord }),
};
const isPart: Check = (value) =>
    isJsonRecord(value) && (check(parts, value.type)?.(value) ?? false);
const isContent = listOf(isPart);

const isUsage = (value: unknown) =>
    isJsonRecord(value) && Object.values(value).every((tokens) => typeof tokens === "number");
const assistantStatus = oneOf<AssistantStatus>({
    streaming: true,
    complete: true,
    cancelled: true,
    interrupted: true,
});
const isHash: Check = (value) => value === null || isText(value);
const isObserved = listOf(fields({ path: isText, hash: isHash }));
const isChangedFile = fields({
    path: isText,
    beforeHash: isHash,
    afterHash: isHash,
    modeBefore: maybe(isNumber),
    modeAfter: maybe(isNumber),
});
const isContextLabels = listOf(fields({ part: isNumber, kind: isText, id: isText }));
const isNotes = listOf(fields({ kind: isText, id: isText, text: isText }));
const entryBase = { id: isText, at: isNumber };

const isChange = fields({
    ...entryBase,
    callId: maybe(isText),
    undoes: maybe(listOf(isText)),
    files: listOf(isChangedFile),
});

const entries: Record<string, Check> = {
    user: fields({
        ...entryBase,
        mode: oneOf<Mode>({ ask: true, agent: true }),
        text: isText,
        content: isContent,
        context: maybe(isContextLabels),
    }),
    assistant: fields({
        ...entryBase,
        provider: isText,
        model: isText,
        status: assistantStatus,
        content: isContent,
        usage: maybe(isUsage),
        costUsd: maybe(isNumber),
        stopReason: maybe(isText),
    }),
    tool_result: fields({
        ...entryBase,
        callId: isText,
        name: isText,
        content: isText,
        ok: isBoolean,
        durationMs: isNumber,
        intent: isText,
        summary: maybe(isText),
        display: maybe(isText),
        wholeHash: maybe(isText),
        reminder: maybe(isText),
        notes: maybe(isNotes),
        observed: maybe(isObserved),
    }),
    review: fields({
        ...entryBase,
        callId: isText,
        subject: oneOf<ReviewEntry["subject"]>({ write: true, shell: true, ask: true }),
        status: oneOf<ReviewStatus>({ approved: true, modified: true, denied: true }),
        decidedBy: oneOf<ReviewEntry["decidedBy"]>({ user: true, policy: true }),
        remember: maybe(isText),
        reason: maybe(isText),
        what: isText,
    }),
    change: isChange,
    host_note: fields({ ...entryBase, text: isText, observed: maybe(isObserved) }),
    command: fields({
        ...entryBase,
        name: isText,
        argumentsText: isText,
        told: maybe(isText),
        wholeHash: maybe(isText),
    }),
};

const isChanges = fields({
    status: maybe(assistantStatus),
    content: maybe(isContent),
    usage: maybe(isUsage),
    costUsd: maybe(isNumber),
    stopReason: maybe(isText),
});

const records: Record<string, Check> = {
    conversation_started: fields({
        version: isNumber,
        id: isText,
        root: isText,
        rootHash: isText,
        provider: isText,
        model: isText,
        at: isNumber,
    }),
    entry_added: fields({
        entry: (value) => isJsonRecord(value) && (check(entries, value.kind)?.(value) ?? false),
    }),
    change_begun: fields({ change: isChange }),
    change_dropped: fields({ id: isText }),
    entry_updated: fields({ id: isText, appendText: maybe(isText), changes: maybe(isChanges) }),
    model_changed: fields({ provider: isText, model: isText, at: isNumber }),
    thinking_changed: fields({
        on: isBoolean,
        effort: maybe(oneOf<Effort>({ low: true, medium: true, high: true })),
        at: isNumber,
    }),
    root_changed: fields({ root: isText, at: isNumber }),
    rolling_summary_set: fields({ summary: isText, keepFrom: isText, at: isNumber }),
    conversation_ended: fields({ at: isNumber }),
};

function check(checks: Record<string, Check>, name: unknown): Check | undefined {
    return typeof name === "string" && Object.hasOwn(checks, name) ? checks[name] : undefined;
}

/** What one line of a log turned out to be. */
export type CheckedRecord =
    | { readonly kind: "valid"; readonly record: JournalRecord }
    /** From a newer North. */
    | { readonly kind: "unknown"; readonly type: string }
    | { readonly kind: "damaged" };

/** Checks the shape of a record, so that whoever folds it need not. */
export function checkRecord(value: unknown): CheckedRecord {
    if (!isJsonRecord(value) || typeof value.type !== "string") return { kind: "damaged" };
    const isShaped = check(records, value.type);
    if (!isShaped) return { kind: "unknown", type: value.type };
    if (isShaped(value)) return { kind: "valid", record: value as JsonRecord & JournalRecord };
    return unknownKind(value) ?? { kind: "damaged" };
}

/** An entry of a kind that only a newer North knows is not damage. */
function unknownKind(record: JsonRecord): CheckedRecord | undefined {
    if (record.type !== "entry_added" || !isJsonRecord(record.entry)) return undefined;
    const { kind } = record.entry;
    if (typeof kind !== "string" || Object.hasOwn(entries, kind)) return undefined;
    return { kind: "unknown", type: `entry_added/${kind}` };
}
