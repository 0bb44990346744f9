import { isFields } from "../../base/fields.js";

/** What the model makes of a conversation. */
export interface StructuredSummary {
    readonly goal: string;
    readonly decisions: readonly string[];
    readonly constraints: readonly string[];
    readonly openTasks: readonly string[];
    readonly importantFiles: readonly string[];
}

const LISTS = ["decisions", "constraints", "openTasks", "importantFiles"] as const;

/** Reads a model's answer; `undefined` where it is anything but the JSON that was asked for. */
export function parseSummary(answer: string): StructuredSummary | undefined {
    const value = jsonObjectIn(answer);
    if (value === undefined) return undefined;
    const { goal } = value;
    if (typeof goal !== "string" || goal.trim() === "") return undefined;
    const [decisions, constraints, openTasks, importantFiles] = LISTS.map((name) =>
        textsIn(value[name])
    );
    if (!decisions || !constraints || !openTasks || !importantFiles) return undefined;
    return { goal: goal.trim(), decisions, constraints, openTasks, importantFiles };
}

// Models like to put a fence around it, or a sentence before it.
function jsonObjectIn(answer: string): Readonly<Record<string, unknown>> | undefined {
    const text = answer.slice(answer.indexOf("{"), answer.lastIndexOf("}") + 1);
    try {
        const value: unknown = JSON.parse(text);
        return isFields(value) ? value : undefined;
    } catch {
        return undefined;
    }
}

function textsIn(value: unknown): readonly string[] | undefined {
    if (!Array.isArray(value)) return undefined;
    const texts = value.map((item: unknown) => (typeof item === "string" ? item.trim() : null));
    return texts.every((text) => text !== null) ? texts.filter((text) => text !== "") : undefined;
}
