import type { JsonSchema, Tool, ToolSchema } from "../../plugin/index.js";
import { type Fields, isFields } from "../../base/fields.js";
import { limitsOfDraft4, lookUp } from "../../base/readable-schema.js";
import { KEYWORDS, shortText } from "./schema-keywords.js";

/** How deep and how often a schema may refer to parts of itself before it says nothing more. */
const DEEPEST = 40;
const MOST_REFERENCES = 200;

/** What models take for the name of a field. */
const FIELD_NAME = /^[a-zA-Z0-9_.-]{1,64}$/;

/**
 * A tool as the model is told of it. Plugins and the servers behind them write schemas of every
 * draft, and a vendor that refuses one tool refuses the whole request. So what is sent keeps to
 * what all of them take; the call's input is checked against the tool's own schema.
 */
export function toToolSchema({ name, description, inputSchema }: Tool): ToolSchema {
    return {
        name,
        description: shortText(description) ?? "",
        inputSchema: schemaForModels(inputSchema),
    };
}

/**
 * The schema as an object of fields, without alternatives at its top (Anthropic, OpenAI), valid in
 * the drafts 7 (Mistral) and 2020-12 (Anthropic) without references (Mistral) and without arrays that
 * have no `items` (OpenAI).
 */
export function schemaForModels(schema: JsonSchema): JsonSchema {
    const { anyOf, oneOf, allOf, ...others } = convert(schema);
    const { not: _not, enum: _values, const: _value, ...kept } = others;
    const parts = [allOf, anyOf, oneOf].flatMap((list) => (Array.isArray(list) ? list : []));
    const ofParts = parts.map(({ properties }: Fields) => properties);
    const properties = Object.assign({}, ...ofParts.reverse(), kept.properties) as Fields;
    const required = Array.isArray(kept.required) ? kept.required : [];
    const usable = Object.entries(properties).filter(([name]) => FIELD_NAME.test(name));
    const names = usable.map(([name]) => name);
    return {
        ...kept,
        type: "object",
        properties: Object.fromEntries(usable),
        ...(kept.required === undefined
            ? {}
            : { required: required.filter((name) => names.includes(name)) }),
    };
}

function convert(root: JsonSchema): Fields {
    let references = 0;
    return part(root, []);

    /** `path` has the references that led here, which may lead no further, and the depth. */
    function part(schema: unknown, path: readonly (string | undefined)[]): Fields {
        if (!isFields(schema) || path.length > DEEPEST) return {};
        const { $ref, ...fields } = schema;
        if (typeof $ref === "string") {
            references += 1;
            const isUsable = references <= MOST_REFERENCES && !path.includes($ref);
            const target = isUsable ? lookUp(root, $ref) : undefined;
            return part({ ...target, ...fields }, [...path, $ref]);
        }
        const inner = (value: unknown) => part(value, [...path, undefined]);
        const converted = Object.entries(inNewestDraft(fields)).map(
            ([name, value]) => [name, KEYWORDS.get(name)?.(value, inner)] as const
        );
        return Object.fromEntries(converted.filter(([, value]) => value !== undefined));
    }
}

/** Positions of a list as draft 7 writes them, limits as draft 4 does. */
function inNewestDraft(schema: Fields): Fields {
    const { additionalItems, ...fields } = schema;
    const isPositions = Array.isArray(fields.items);
    const positions = isPositions ? fields.items : fields.prefixItems;
    const rest = isPositions ? additionalItems : fields.items;
    const isList = [fields.type].flat().includes("array") || Array.isArray(positions);
    return {
        ...fields,
        ...limitsOfDraft4(fields),
        ...(isPositions ? { prefixItems: positions } : {}),
        ...(isList ? { items: rest ?? {} } : {}),
        ...(rest === false && Array.isArray(positions) ? { maxItems: positions.length } : {}),
    };
}
