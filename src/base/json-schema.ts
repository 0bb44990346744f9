import * as Type from "typebox";
import { Check, Compile, Errors, type Validator } from "typebox/schema";
import { type Fields, isFields } from "./fields.js";
import { resolvePointer } from "./schema-references.js";

/** Compiling takes milliseconds, as long as about this many uncompiled checks. */
const CHECKS_BEFORE_COMPILING = 50;

/** A readonly object; unknown fields are allowed. */
export function object<Properties extends Type.TProperties>(
    properties: Properties,
    options: Type.TObjectOptions = {}
): Type.TUnsafe<Readonly<Type.Static<Type.TObject<Properties>>>> {
    return Type.Unsafe(Type.Object(properties, options));
}

export function list<Item extends Type.TSchema>(
    item: Item,
    options: { readonly expected?: string } = {}
): Type.TUnsafe<readonly Type.Static<Item>[]> {
    return Type.Unsafe(Type.Array(item, options));
}

interface Checker<Value> {
    fits(value: unknown): value is Value;
    /** The first mismatch, as a clause: "`prices.input` is missing". */
    problem(value: unknown): string | undefined;
}

export function checker<Schema extends Type.TSchema>(schema: Schema): Checker<Type.Static<Schema>> {
    let checks = 0;
    let compiled: Validator | undefined;
    return {
        fits: (value): value is Type.Static<Schema> => {
            checks += 1;
            if (checks > CHECKS_BEFORE_COMPILING) compiled ??= Compile(schema);
            return compiled ? compiled.Check(value) : Check(schema, value);
        },
        problem: (value) => problemsIn(schema, value, "it")[0],
    };
}

/**
 * All mismatches, one clause per field: "`limit` must be of type integer". A schema's `expected`
 * replaces the generated wording. `targets` are the schemas that its `$ref`s name.
 */
export function problemsIn(
    schema: object,
    value: unknown,
    whole = "the input",
    targets: Record<string, object | boolean> = {}
): string[] {
    const [, found] = Errors(targets, schema, value);
    // A misspelt field is missing by its right name as well.
    const errors = found.toSorted(
        (left, right) => Number(isUnknown(right)) - Number(isUnknown(left))
    );
    const told = new Set<string>();
    const problems = errors.flatMap((error): string[] => {
        const { keyword, params, instancePath, schemaPath, message } = error;
        const field = fieldPath(instancePath);
        const where = field === "" ? whole : `\`${field}\``;
        const part = resolvePointer(schema, schemaPath);
        switch (keyword) {
            case "required":
                return params.requiredProperties.map(
                    (name) => `\`${joinPath(field, name)}\` is missing`
                );
            case "additionalProperties":
                return params.additionalProperties.map((name) => {
                    const known = knownFields(part);
                    const news = told.has(known) ? "" : known;
                    told.add(known);
                    return `\`${joinPath(field, name)}\` is not a known field${news}`;
                });
            case "unevaluatedProperties":
                // A property that was refused counts as not evaluated.
                return params.unevaluatedProperties
                    .filter((name) => !isWithin(errors, `${instancePath}/${String(name)}/`))
                    .map((name) => `\`${joinPath(field, String(name))}\` is not a known field`);
            case "boolean":
                // Already reported by `additionalProperties`.
                return schemaPath.endsWith("/additionalProperties")
                    ? []
                    : [`${where} is not allowed`];
            // Already reported by the alternatives.
            case "anyOf":
                return [];
        }
        if (typeof part?.expected === "string") return [`${where} must be ${part.expected}`];
        switch (keyword) {
            case "enum": {
                const allowed = params.allowedValues.map((value) => JSON.stringify(value));
                return [`${where} must be one of ${allowed.join(", ")}`];
            }
            case "const":
                return [`${where} must be ${JSON.stringify(params.allowedValue)}`];
            case "type":
                return typesFor(instancePath, errors).map(
                    (types) => `${where} must be of type ${types}`
                );
            default:
                return [`${where} ${message}`];
        }
    });
    return problems.length > 0 || errors.length === 0
        ? [...new Set(problems)]
        : [`${whole} does not match the schema`];
}

function knownFields(schema: Fields | undefined): string {
    const names = isFields(schema?.properties) ? Object.keys(schema.properties) : [];
    return names.length > 0 ? ` (known: ${names.join(", ")})` : "";
}

function isUnknown({ keyword }: SchemaError): boolean {
    return keyword === "additionalProperties";
}

type SchemaError = ReturnType<typeof Errors>[1][number];

/**
 * The expected types at one place, across alternatives; none if one of them matches and only its
 * contents do not.
 */
function typesFor(path: string, errors: readonly SchemaError[]): string[] {
    if (errors.some(({ instancePath }) => instancePath.startsWith(`${path}/`))) return [];
    const types = errors.flatMap(({ keyword, instancePath, params }) =>
        keyword === "type" && instancePath === path ? params.type : []
    );
    return [[...new Set(types)].join(" or ")];
}

function isWithin(errors: readonly SchemaError[], place: string): boolean {
    return errors.some(({ instancePath }) => `${instancePath}/`.startsWith(place));
}

/** `/edits/0/path` is `edits[0].path`. */
function fieldPath(pointer: string): string {
    return pointer
        .split("/")
        .slice(1)
        .map((step) => step.replaceAll("~1", "/").replaceAll("~0", "~"))
        .reduce(
            (path, step) => (/^\d+$/.test(step) ? `${path}[${step}]` : joinPath(path, step)),
            ""
        );
}

function joinPath(parent: string, child: string): string {
    return parent === "" ? child : `${parent}.${child}`;
}
