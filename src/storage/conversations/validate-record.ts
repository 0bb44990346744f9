import * as Type from "typebox";
import { isFields } from "../../base/fields.js";
import { MODE_IDS } from "../../plugin/modes.js";
import { checker, list, object } from "../../base/json-schema.js";
import type {
    AssistantMessage,
    DocumentPart,
    Entry,
    ImagePart,
    JournalRecord,
    ReviewEntry,
    StopReason,
    TextPart,
    ThinkingPart,
    ToolCallPart,
    Usage,
} from "../../plugin/index.js";

const text = Type.String();
const number = Type.Number();
/** Milliseconds since 1970 that a date can have. */
const time = Type.Number({ minimum: 0, maximum: 8.64e15 });
/** As North writes it: below the root, without `.`, `..` and empty parts. */
const relativePath = Type.String({ pattern: "^(?!(?:[^]*/)?\\.{0,2}(?:/|$))[^\\0]+$" });
const maybe = Type.Optional;
/** Text for which a newer North may know more values. */
const textAs = <Text extends string>() => Type.Unsafe<Text>(text);

const textPart = Type.Unsafe<TextPart>(Type.Object({ type: Type.Literal("text"), text }));
const imagePart = Type.Unsafe<ImagePart>(
    Type.Object({ type: Type.Literal("image"), mediaType: text, data: text })
);
const documentPart = Type.Unsafe<DocumentPart>(
    Type.Object({ type: Type.Literal("document"), mediaType: text, data: text })
);
const thinkingPart = Type.Unsafe<ThinkingPart>(
    Type.Object({ type: Type.Literal("thinking"), text, provider: text, model: text })
);
const callPart = Type.Unsafe<ToolCallPart>(
    Type.Object({
        type: Type.Literal("tool-call"),
        callId: text,
        name: text,
        input: Type.Object({}),
    })
);
/** Part of a file's name. */
const conversationId = Type.String({ pattern: "^[0-9a-f]{6}$" });
const hash = Type.Union([text, Type.Null()]);
const observed = maybe(list(object({ path: text, hash })));
const contextPart = { kind: text, id: text, origin: maybe(text) };
const entryBase = { id: text, at: time };
const replyFields = {
    usage: maybe(Type.Unsafe<Usage>(Type.Record(text, number))),
    costUsd: maybe(number),
    stopReason: maybe(textAs<StopReason>()),
};
const status = Type.Enum(["streaming", "complete", "cancelled", "interrupted"]);
const replyContent = Type.Unsafe<AssistantMessage["content"]>(
    Type.Array(Type.Union([textPart, thinkingPart, callPart]))
);
const changedFile = object({
    path: relativePath,
    type: maybe(Type.Enum(["link", "folder"])),
    beforeHash: hash,
    afterHash: hash,
    modeBefore: maybe(number),
    modeAfter: maybe(number),
    isIgnored: maybe(Type.Literal(true)),
});

const ENTRIES = {
    user: object({
        kind: Type.Literal("user"),
        ...entryBase,
        mode: Type.Enum([...MODE_IDS]),
        text,
        content: list(Type.Union([textPart, imagePart])),
        context: maybe(list(object({ part: number, ...contextPart }))),
    }),
    assistant: object({
        kind: Type.Literal("assistant"),
        ...entryBase,
        provider: text,
        model: text,
        status,
        content: replyContent,
        ...replyFields,
    }),
    tool_result: object({
        kind: Type.Literal("tool_result"),
        ...entryBase,
        callId: text,
        name: text,
        content: text,
        text: maybe(text),
        media: maybe(list(Type.Union([imagePart, documentPart]))),
        ok: Type.Boolean(),
        durationMs: number,
        intent: text,
        summary: maybe(text),
        display: maybe(text),
        wholeHash: maybe(text),
        reminder: maybe(text),
        notes: maybe(list(object({ ...contextPart, text }))),
        observed,
        tested: maybe(object({ tree: text, checks: list(text), exitCode: number })),
    }),
    review: object({
        kind: Type.Literal("review"),
        ...entryBase,
        callId: text,
        subject: textAs<ReviewEntry["subject"]>(),
        status: Type.Enum(["approved", "modified", "contained", "denied"]),
        decidedBy: Type.Enum(["user", "policy"]),
        remember: maybe(textAs<NonNullable<ReviewEntry["remember"]>>()),
        reason: maybe(text),
        what: text,
        shown: maybe(Type.Record(text, text)),
    }),
    change: object({
        kind: Type.Literal("change"),
        ...entryBase,
        callId: maybe(text),
        command: maybe(text),
        undoes: maybe(list(text)),
        applies: maybe(list(text)),
        files: list(changedFile),
    }),
    drafted: object({
        kind: Type.Literal("drafted"),
        ...entryBase,
        callId: maybe(text),
        command: maybe(text),
        undoes: maybe(list(text)),
        files: list(changedFile),
        isRebase: maybe(Type.Literal(true)),
    }),
    host_note: object({ kind: Type.Literal("host_note"), ...entryBase, text, observed }),
    command: object({
        kind: Type.Literal("command"),
        ...entryBase,
        name: text,
        argumentsText: text,
        told: maybe(text),
        wholeHash: maybe(text),
        exitCode: maybe(number),
    }),
} as const;

type StoredEntry = Type.Static<(typeof ENTRIES)[keyof typeof ENTRIES]>;
const entry = Type.Unsafe<StoredEntry>(Type.Union(Object.values(ENTRIES)));

const RECORDS = {
    conversation_started: object({
        type: Type.Literal("conversation_started"),
        version: number,
        id: text,
        root: text,
        rootHash: text,
        provider: text,
        model: text,
        nested: maybe(object({ by: text, parent: maybe(text), callId: maybe(text) })),
        at: time,
        forkedFrom: maybe(object({ id: conversationId, bytes: number })),
    }),
    conversation_named: object({
        type: Type.Literal("conversation_named"),
        name: text,
        at: time,
    }),
    entry_added: object({ type: Type.Literal("entry_added"), entry }),
    change_begun: object({ type: Type.Literal("change_begun"), change: ENTRIES.change }),
    change_dropped: object({ type: Type.Literal("change_dropped"), id: text }),
    entry_updated: object({
        type: Type.Literal("entry_updated"),
        id: text,
        appendText: maybe(text),
        changes: maybe(
            object({ status: maybe(status), content: maybe(replyContent), ...replyFields })
        ),
    }),
    model_changed: object({
        type: Type.Literal("model_changed"),
        provider: text,
        model: text,
        at: time,
    }),
    thinking_changed: object({
        type: Type.Literal("thinking_changed"),
        on: Type.Boolean(),
        effort: maybe(Type.Enum(["low", "medium", "high", "xhigh", "max"])),
        at: time,
    }),
    root_changed: object({ type: Type.Literal("root_changed"), root: text, at: time }),
    rolling_summary_set: object({
        type: Type.Literal("rolling_summary_set"),
        summary: text,
        keepFrom: text,
        withoutModel: Type.Optional(Type.Boolean()),
        at: time,
    }),
    request_billed: object({
        type: Type.Literal("request_billed"),
        usage: Type.Unsafe<Usage>(Type.Record(text, number)),
        costUsd: maybe(number),
        at: time,
    }),
    conversation_ended: object({ type: Type.Literal("conversation_ended"), at: time }),
} as const;

type StoredRecord = Type.Static<(typeof RECORDS)[keyof typeof RECORDS]>;
type AllFields<Fields> = Fields extends unknown ? Required<Fields> : never;

// Plugins see these records and must not depend on TypeBox, so the contract spells out the types.
// The compiler checks that both have the same fields.
const _isSame: [
    Same<AllFields<StoredEntry>, AllFields<Entry>>,
    Same<AllFields<StoredRecord>, AllFields<JournalRecord>>,
] = [true, true];
type Same<One, Other> = [One, Other] extends [Other, One] ? true : false;

const checkers = new Map(
    Object.entries(RECORDS).map(([type, schema]) => [
        type,
        checker(Type.Unsafe<StoredRecord>(schema)),
    ])
);

/** Validates the shape of a record, so callers need not. */
export function checkRecord(value: unknown):
    | { readonly kind: "valid"; readonly record: JournalRecord }
    /** Written by a newer North. */
    | { readonly kind: "unknown"; readonly type: string }
    | { readonly kind: "damaged" } {
    if (!isFields(value) || typeof value.type !== "string") return { kind: "damaged" };
    const { type } = value;
    const known = checkers.get(type);
    if (!known) return { kind: "unknown", type };
    if (known.fits(value)) return { kind: "valid", record: value };
    // An entry kind only a newer North knows is not damage.
    const kind = type === "entry_added" && isFields(value.entry) ? value.entry.kind : undefined;
    return typeof kind === "string" && !Object.hasOwn(ENTRIES, kind)
        ? { kind: "unknown", type: `${type}/${kind}` }
        : { kind: "damaged" };
}
