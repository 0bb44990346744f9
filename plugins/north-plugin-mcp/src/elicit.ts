import type { ElicitRequestParams, ElicitResult } from "@modelcontextprotocol/client";
import type { AskUser } from "north-cli/plugin";
import { isRecord, type JsonRecord } from "./json.js";
import { oneLine } from "./reason.js";

type Value = string | number | boolean | string[];

const MAX_FIELDS = 20;

/**
 * Asks the user for what a server wants to know, field by field. A required field without an answer
 * cancels the whole request, and so does a form without any. Throws if nobody can be asked.
 */
export async function elicit(
    server: string,
    params: ElicitRequestParams,
    ask: AskUser | undefined
): Promise<ElicitResult> {
    if (!ask) throw new Error("North cannot ask here: it runs without a terminal.");
    if (!("requestedSchema" in params)) return { action: "decline" };
    const { properties, required = [] } = params.requestedSchema;
    const asked = `${server} asks: ${oneLine(params.message, 500)}`;
    const fields = Object.entries(properties).slice(0, MAX_FIELDS);
    // Beyond the limit, or not described at all.
    const names = fields.map(([name]) => name);
    if (required.some((name) => !names.includes(name))) return { action: "cancel" };
    if (fields.length === 0) {
        const answer = await ask({ title: asked, choices: ["Yes", "No"] });
        if (answer === undefined) return { action: "cancel" };
        return answer === "Yes" ? { action: "accept", content: {} } : { action: "decline" };
    }
    const content: Record<string, Value> = {};
    const defaults: Record<string, Value> = {};
    for (const [name, field] of fields) {
        const value = await askField(asked, name, { ...field }, ask);
        if (value !== undefined) content[name] = value;
        else if (required.includes(name)) return { action: "cancel" };
        else if (isValue(field.default)) defaults[name] = field.default;
    }
    // Esc must not approve what the server would like to hear.
    const isMeant = await confirmDefaults(asked, defaults, ask);
    if (!isMeant || Object.keys({ ...content, ...defaults }).length === 0) {
        return { action: "cancel" };
    }
    return { action: "accept", content: { ...content, ...defaults } };
}

async function confirmDefaults(
    asked: string,
    defaults: Readonly<Record<string, Value>>,
    ask: AskUser
): Promise<boolean> {
    const named = Object.entries(defaults).map(([name, value]) => `${name}: ${String(value)}`);
    if (named.length === 0) return true;
    const title = `${asked} Send the defaults of what you skipped? ${oneLine(named.join(", "), 500)}`;
    return (await ask({ title, choices: ["Yes", "No"] })) === "Yes";
}

async function askField(
    asked: string,
    name: string,
    field: JsonRecord,
    ask: AskUser
): Promise<Value | undefined> {
    const label = [field.title ?? name, field.description].filter(
        (text) => typeof text === "string"
    );
    const title = `${asked} ${oneLine(label.join(": "), 300)}`;
    const options = optionsOf(field);
    for (let problem = ""; ;) {
        const isList = field.type === "array" || options.length > 9;
        const list = isList
            ? ` (of: ${oneLine(options.map(({ label }) => label).join(", "), 2_000)})`
            : "";
        const standard = isValue(field.default) ? oneLine(String(field.default), 100) : "";
        const hint = standard === "" ? list : `${list} (default: ${standard})`;
        const answer = await ask({
            title: `${problem}${title}${hint}`,
            ...(options.length === 0 || isList
                ? { allowText: true }
                : { choices: options.map(({ label }) => label) }),
        });
        if (answer === undefined) return undefined;
        const value = valueOf(answer.trim(), field, options);
        if (value !== undefined) return value;
        problem = `"${oneLine(answer, 50)}" is not a valid answer. `;
    }
}

function isValue(value: unknown): value is Value {
    return ["string", "number", "boolean"].includes(typeof value) || Array.isArray(value);
}

interface Choice {
    readonly value: string | boolean;
    readonly label: string;
}

/** https://modelcontextprotocol.io/specification/2025-11-25/client/elicitation#requested-schema */
function optionsOf(field: JsonRecord): Choice[] {
    if (field.type === "boolean") {
        return [
            { value: true, label: "Yes" },
            { value: false, label: "No" },
        ];
    }
    const holder = field.type === "array" && isRecord(field.items) ? field.items : field;
    const titled = [holder.oneOf, holder.anyOf].find((list) => Array.isArray(list));
    if (titled) {
        return titled.flatMap((option: unknown) =>
            isRecord(option) && typeof option.const === "string"
                ? [choice(option.const, option.title)]
                : []
        );
    }
    const names: readonly unknown[] = Array.isArray(field.enumNames) ? field.enumNames : [];
    const values: readonly unknown[] = Array.isArray(holder.enum) ? holder.enum : [];
    return values.flatMap((value, index) =>
        typeof value === "string" ? [choice(value, names[index])] : []
    );
}

function choice(value: string, title: unknown): Choice {
    return { value, label: oneLine(typeof title === "string" ? title : value, 100) };
}

/** Returns `undefined` if the answer does not fit the field. */
function valueOf(answer: string, field: JsonRecord, options: readonly Choice[]): Value | undefined {
    const chosen = (text: string) =>
        options.find(({ label, value }) => label === text || value === text)?.value;
    if (field.type === "array") {
        const values = answer.split(",").map((text) => chosen(text.trim()));
        const texts = values.filter((value) => typeof value === "string");
        return texts.length === values.length ? texts : undefined;
    }
    if (options.length > 0) return chosen(answer);
    if (field.type !== "number" && field.type !== "integer") return answer;
    const number = Number(answer);
    const { minimum = -Infinity, maximum = Infinity } = field;
    const fits =
        answer !== "" &&
        (field.type === "number" ? Number.isFinite(number) : Number.isSafeInteger(number)) &&
        number >= Number(minimum) &&
        number <= Number(maximum);
    return fits ? number : undefined;
}
