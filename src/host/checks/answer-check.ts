import { readFile } from "node:fs/promises";
import { isFields } from "../../base/fields.js";
import { NorthError } from "../../base/north-error.js";
import { toSafeSchema, type SafeSchema } from "../../base/safe-schema.js";
import { messageOf, systemErrorText } from "../../base/system-error.js";
import type { AgentEvent } from "../../core/agent/events.js";
import type { Check, JsonValue } from "../../plugin/index.js";

const MAX_SCHEMA_CHARACTERS = 64 * 1024;
const MAX_PROBLEMS = 10;
const FENCED = /^```(?:json)?\n([^]*)\n```$/;

/** Ends a turn only with JSON that matches a schema. The model may repair its answer once. */
export class AnswerCheck implements Check {
    readonly name = "--json-schema";
    private isRepaired = false;
    private value: JsonValue | undefined;
    private problem = "";

    constructor(
        private readonly schema: object,
        private readonly safeSchema: SafeSchema
    ) {}

    async beforeMessage() {
        const schema = JSON.stringify(this.schema);
        const note = `Your last answer must be JSON that matches this schema, and nothing else:\n${schema}`;
        return { note };
    }

    async afterTurn(answer: string) {
        this.read(answer);
        if (this.value !== undefined || this.isRepaired) return undefined;
        this.isRepaired = true;
        const continueWith = `${this.problem} Answer again, with JSON that matches the schema and nothing else.`;
        return { continueWith };
    }

    /** Adds the value to a finished turn's event, or turns the event into a failure. */
    judge(event: AgentEvent): AgentEvent {
        if (event.type !== "turn-finished" || event.outcome.stopReason !== "end") return event;
        const { outcome } = event;
        if (this.value !== undefined) {
            const text = JSON.stringify(this.value);
            return { ...event, outcome: { ...outcome, text, structuredOutput: this.value } };
        }
        const error = new NorthError("invalid-answer", this.problem);
        return { ...event, outcome: { ...outcome, stopReason: "error", error } };
    }

    private read(answer: string): void {
        const text = answer.trim();
        let value: JsonValue;
        this.value = undefined;
        try {
            value = JSON.parse(FENCED.exec(text)?.[1] ?? text);
        } catch (error) {
            this.problem = `The answer is not JSON: ${messageOf(error)}.`;
            return;
        }
        const problems = this.safeSchema.problems(value, "it").slice(0, MAX_PROBLEMS);
        this.problem = `The answer does not match the schema: ${problems.join("; ")}.`;
        if (problems.length === 0) this.value = value;
    }
}

/** `given` is a JSON Schema or the path of one. Rejects with `invalid-usage`. */
export async function answerCheck(given: string): Promise<AnswerCheck> {
    try {
        const text = given.trimStart().startsWith("{") ? given : await readFile(given, "utf8");
        if (text.length > MAX_SCHEMA_CHARACTERS) throw new Error("it is larger than 64 KB");
        // Trimming removes a BOM, too.
        const schema: unknown = JSON.parse(text.trim());
        if (!isFields(schema)) throw new Error("it is not an object");
        const safeSchema = await toSafeSchema(schema);
        safeSchema.problems(null);
        return new AnswerCheck(schema, safeSchema);
    } catch (error) {
        const problem = `--json-schema: the schema cannot be used: ${systemErrorText(error)}`;
        throw new NorthError("invalid-usage", problem, [
            "Pass a JSON Schema, or the path of a file that contains one.",
        ]);
    }
}
