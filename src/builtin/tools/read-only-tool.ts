import * as Type from "typebox";
import type { PlainTool } from "../../plugin/index.js";

export type InputOf<Fields extends Type.TProperties> = Type.Static<Type.TObject<Fields>>;

/** Returns an object schema with these fields and no others. */
export function strictObject<Fields extends Type.TProperties>(fields: Fields) {
    return Type.Object(fields, { additionalProperties: false });
}

interface ReadOnlyDefinition<Fields extends Type.TProperties, Data> extends Omit<
    PlainTool<InputOf<Fields>, Data>,
    "approval" | "readOnly" | "inputSchema"
> {
    /** The fields of the input; no others are accepted. */
    readonly input: Fields;
}

/**
 * Defines a tool that only reads. `execute` must come before the functions that render its data:
 * TypeScript infers their type from it.
 */
export function readOnlyTool<Fields extends Type.TProperties, Data>({
    input,
    ...definition
}: ReadOnlyDefinition<Fields, Data>): PlainTool<InputOf<Fields>, Data> {
    return {
        ...definition,
        approval: "none",
        readOnly: true,
        inputSchema: strictObject(input),
    };
}
