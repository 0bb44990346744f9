import * as Type from "typebox";
import type { PlainTool } from "../../plugin/index.js";

export type InputOf<Fields extends Type.TProperties> = Type.Static<Type.TObject<Fields>>;

/** The schema of an input with these fields and no others. */
export function strictObject<Fields extends Type.TProperties>(fields: Fields) {
    return Type.Object(fields, { additionalProperties: false });
}

interface Definition<Fields extends Type.TProperties, Data> extends Omit<
    PlainTool<InputOf<Fields>, Data>,
    "approval" | "readOnly" | "inputSchema"
> {
    /** The fields of its input; no others are taken. */
    readonly input: Fields;
}

/** The frame of a tool that only reads. `execute` comes before what shows its data, whose type it gives. */
export function readOnlyTool<Fields extends Type.TProperties, Data>({
    input,
    ...definition
}: Definition<Fields, Data>): PlainTool<InputOf<Fields>, Data> {
    return {
        ...definition,
        approval: "none",
        readOnly: true,
        inputSchema: strictObject(input),
    };
}
