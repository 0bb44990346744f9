import type { ModelEvent, StopReason } from "../../../plugin/index.js";
import { type Fields, isFields } from "../../../base/fields.js";

const isText = (value: unknown): boolean => typeof value === "string";
const isName = (value: unknown): boolean => typeof value === "string" && value !== "";
const isAmount = (value: unknown): boolean => Number.isFinite(value) && Number(value) >= 0;
const isUsage = (value: unknown): boolean =>
    isFields(value) && Object.values(value).every((each) => each === undefined || isAmount(each));

const REASONS: Readonly<Record<StopReason, true>> = {
    end: true,
    "tool-calls": true,
    "max-output": true,
    "context-overflow": true,
    paused: true,
    refused: true,
};

/** What each event must have. */
const EVENTS: Readonly<
    Record<ModelEvent["type"], Readonly<Record<string, (value: unknown) => boolean>>>
> = {
    text: { text: isText },
    thinking: { text: isText },
    "thinking-end": {},
    "tool-call-start": { callId: isName, name: isName },
    "tool-call": { callId: isName, name: isName, input: isFields },
    usage: { usage: isUsage },
    stop: { reason: (value) => isText(value) && Object.hasOwn(REASONS, String(value)) },
};

/** What is wrong with what a provider sent, for a sentence; `undefined` where nothing is. */
export function eventProblem(event: unknown): string | undefined {
    if (!isFields(event) || !isText(event.type) || !Object.hasOwn(EVENTS, String(event.type))) {
        return "something that is no event of a reply";
    }

    const { type } = event as Fields & ModelEvent;
    const wrong = Object.entries(EVENTS[type]).find(([name, fits]) => !fits(event[name]));
    return wrong && `an event \`${type}\` without a valid \`${wrong[0]}\``;
}
