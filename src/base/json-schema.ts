import type { Static, TSchema } from "typebox";
import { Compile, Errors, type Validator } from "typebox/schema";

/** The value and all in it, not to be changed. */
export type Immutable<Value> = { readonly [Name in keyof Value]: Immutable<Value[Name]> };

/** Tells what fits a schema. */
export interface Checker<Value> {
    fits(value: unknown): value is Value;
    /** The first thing that does not fit, for a sentence: "`prices.input` is missing". */
    problem(value: unknown): string | undefined;
}

export function checker<Schema extends TSchema>(
    schema: Schema
): Checker<Immutable<Static<Schema>>> {
    let compiled: Validator | undefined;
    return {
        // Compiling takes milliseconds, so only what is used is compiled.
        fits: (value): value is Immutable<Static<Schema>> =>
            (compiled ??= Compile(schema)).Check(value),
        problem: (value) => problemsIn(schema, value)[0],
    };
}

/** What does not fit, a clause for each field: "`limit` must be of type integer". */
export function problemsIn(schema: object, value: unknown): string[] {
    const [, errors] = Errors(schema, value);
    const problems = errors.flatMap(({ keyword, params, instancePath, message }): string[] => {
        const field = fieldAt(instancePath);
        const where = field === "" ? "the input" : `\`${field}\``;
        switch (keyword) {
            case "required":
                return params.requiredProperties.map(
                    (name) => `\`${joined(field, name)}\` is missing`
                );
            case "additionalProperties":
                return params.additionalProperties.map(
                    (name) => `\`${joined(field, name)}\` is not a known field`
                );
            case "enum":
                return [`${where} must be one of ${listed(params.allowedValues)}`];
            case "const":
                return [`${where} must be ${JSON.stringify(params.allowedValue)}`];
            case "type":
                return [`${where} must be of type ${typesFor(instancePath, errors)}`];
            // Said by `additionalProperties`, and by the alternatives themselves.
            case "boolean":
            case "anyOf":
                return [];
            default:
                return [`${where} ${message}`];
        }
    });
    return problems.length > 0 || errors.length === 0
        ? [...new Set(problems)]
        : ["the input does not fit the schema"];
}

type SchemaError = ReturnType<typeof Errors>[1][number];

/** The types of all alternatives at one place. */
function typesFor(place: string, errors: readonly SchemaError[]): string {
    const types = errors.flatMap(({ keyword, instancePath, params }) =>
        keyword === "type" && instancePath === place ? params.type : []
    );
    return [...new Set(types)].join(" or ");
}

/** `/edits/0/path` is `edits[0].path`. */
function fieldAt(pointer: string): string {
    return pointer
        .split("/")
        .slice(1)
        .map((step) => step.replaceAll("~1", "/").replaceAll("~0", "~"))
        .reduce((path, step) => (/^\d+$/.test(step) ? `${path}[${step}]` : joined(path, step)), "");
}

function joined(parent: string, child: string): string {
    return parent === "" ? child : `${parent}.${child}`;
}

function listed(values: readonly unknown[]): string {
    return values.map((value) => JSON.stringify(value)).join(", ");
}
