import * as Type from "typebox";
import { isFields } from "../../../base/fields.js";
import { checker } from "../../../base/json-schema.js";
import type { ModelEvent } from "../../../plugin/index.js";

const text = Type.String();
const name = Type.String({ minLength: 1 });
const REASONS = ["end", "tool-calls", "max-output", "context-overflow", "paused", "refused"];

/** What each event must have. */
const EVENTS: Readonly<Record<ModelEvent["type"], Type.TProperties>> = {
    text: { text },
    thinking: { text },
    "thinking-end": {},
    "tool-call-start": { callId: name, name },
    "tool-call": { callId: name, name, input: Type.Object({}) },
    usage: {
        usage: Type.Record(text, Type.Union([Type.Number({ minimum: 0 }), Type.Undefined()])),
    },
    stop: { reason: Type.Enum(REASONS) },
};
const checkers = new Map(
    Object.entries(EVENTS).map(([type, fields]) => [type, checker(Type.Object(fields))])
);

/** What is wrong with what a provider sent, for a sentence; `undefined` where nothing is. */
export function eventProblem(event: unknown): string | undefined {
    const type = isFields(event) && typeof event.type === "string" ? event.type : "";
    const known = checkers.get(type);
    if (!known) return "something that is no event of a reply";
    if (known.fits(event)) return undefined;
    return `an event \`${type}\` in which ${known.problem(event) ?? "something is wrong"}`;
}
