import { jsonrepair } from "jsonrepair";
import { attempt } from "../../base/attempt.js";
import { isFields, type Fields } from "../../base/fields.js";

export interface StructuredSummary {
    readonly goal: string;
    readonly decisions: readonly string[];
    readonly constraints: readonly string[];
    readonly openTasks: readonly string[];
    readonly importantFiles: readonly string[];
}

const FIELDS = ["goal", "decisions", "constraints", "openTasks", "importantFiles"] as const;

/** Parses a model's answer leniently; `undefined` if nothing usable is in it. */
export function parseSummary(answer: string): StructuredSummary | undefined {
    const value = summaryIn(answer) ?? prose(answer);
    if (value === undefined) return undefined;
    const { goal, decisions, constraints, openTasks, importantFiles } = value;
    const summary = {
        goal: textOf(goal),
        decisions: textsIn(decisions),
        constraints: textsIn(constraints),
        openTasks: textsIn(openTasks),
        importantFiles: textsIn(importantFiles),
    };
    return Object.values(summary).some(({ length }) => length > 0) ? summary : undefined;
}

/** The first object with an expected field; other objects may occur in the prose around it. */
function summaryIn(answer: string): Fields | undefined {
    for (let start = answer.indexOf("{"); start >= 0;) {
        const end = objectEnd(answer, start);
        const value = attempt((): unknown => JSON.parse(jsonrepair(answer.slice(start, end))));
        if (isFields(value) && FIELDS.some((name) => name in value)) return value;
        start = answer.indexOf("{", end);
    }
    return undefined;
}

/** The end of the object that starts here, or of the text if it was cut off. */
function objectEnd(text: string, start: number): number {
    let depth = 0;
    let isInString = false;
    for (let at = start; at < text.length; at += 1) {
        const character = text[at];
        if (character === '"') isInString = !isInString;
        else if (character === "\\") at += 1;
        else if (isInString) continue;
        else if (character === "{") depth += 1;
        else if (character === "}") depth -= 1;
        if (depth === 0) return at + 1;
    }
    return text.length;
}

/** Plain prose counts as the goal; broken JSON does not. */
function prose(answer: string): Fields | undefined {
    return /^[[{]/.test(answer.trim()) ? undefined : { goal: answer };
}

function textsIn(value: unknown): readonly string[] {
    if (isFields(value)) {
        return Object.entries(value).map(([name, item]) => `${name}: ${textOf(item)}`);
    }
    const items: readonly unknown[] = Array.isArray(value) ? value : [value];
    return items.map((item) => textOf(item)).filter((text) => text !== "");
}

function textOf(value: unknown): string {
    if (value === null || value === undefined) return "";
    if (typeof value === "object") {
        return Object.values(value).map(textOf).filter(Boolean).join(": ");
    }

    return String(value).trim();
}
