import { attempt } from "./attempt.js";
import { type Fields, isFields } from "./fields.js";
import { parseUrl } from "./parse-url.js";

/** Keywords whose value is a schema or a list of schemas. */
export const SCHEMA_KEYWORDS = new Set([
    ...["allOf", "anyOf", "oneOf", "not", "if", "then", "else", "contains", "propertyNames"],
    ...["items", "prefixItems", "additionalItems", "unevaluatedItems"],
    ...["additionalProperties", "unevaluatedProperties"],
]);
/** Keywords whose value holds schemas by name. */
export const SCHEMA_MAP_KEYWORDS = new Set([
    ...["properties", "patternProperties", "$defs", "definitions"],
    ...["dependentSchemas", "dependencies"],
]);

type Target = Fields | boolean;

/** Any base works that relative references can be resolved against. */
const ROOT = "schema:///";

/** Resolves the references of a schema, by the rules of its draft. It loads nothing. */
export class SchemaReferences {
    /** Before draft 2019-09, keywords beside `$ref` have no effect. */
    readonly refHidesSiblings: boolean;
    private readonly idKeyword: string;
    private readonly bases = new Map<Fields, URL>();
    /** Schemas with an identifier or anchor, by absolute URI. */
    private readonly identified = new Map<string, Fields>();
    /** Schemas with the same dynamic anchor, in the order of the schema. */
    private readonly dynamic = new Map<unknown, Fields[]>();

    constructor(private readonly root: Fields) {
        const draft = /draft-0(\d)\/schema/.exec(String(root.$schema))?.[1];
        this.refHidesSiblings = draft !== undefined;
        this.idKeyword = Number(draft) <= 4 ? "id" : "$id";
        const base = new URL(ROOT);
        this.identified.set(base.href, root);
        this.index(root, base);
    }

    /** All subschemas that are in a place for schemas. */
    get schemas(): Iterable<Fields> {
        return this.bases.keys();
    }

    /** What the references in `schema` refer to. Throws if something is not part of the root schema. */
    targetsOf(schema: Fields): readonly Target[] {
        const { $ref, $recursiveRef, $dynamicRef } = schema;
        const targets: Target[] = [];
        if (typeof $ref === "string") targets.push(this.resolve($ref, schema));
        if (typeof $recursiveRef === "string") {
            const target = this.resolve($recursiveRef, schema);
            const isOpen = isFields(target) && target.$recursiveAnchor === true;
            targets.push(isOpen ? this.outermost(true) : target);
        }
        if (typeof $dynamicRef === "string") {
            const target = this.resolve($dynamicRef, schema);
            const name = isFields(target) ? target.$dynamicAnchor : undefined;
            const isOpen = name !== undefined && $dynamicRef.endsWith(`#${name}`);
            targets.push(isOpen ? this.outermost(name) : target);
        }
        return targets;
    }

    /** The root is the outermost scope, so its anchor comes before all others. */
    private outermost(anchor: unknown): Target {
        const [first = true, ...others] = this.dynamic.get(anchor) ?? [];
        const isOfRoot = isFields(first) && this.bases.get(first) === this.bases.get(this.root);
        if (isOfRoot || others.length === 0) return first;
        throw new TypeError("it has a dynamic reference with more than one possible target");
    }

    private resolve(reference: string, from: Fields): Target {
        const uri = this.absolute(reference, from);
        const [address = "", fragment = ""] = uri.split("#", 2);
        const resource = this.identified.get(address);
        const target =
            fragment === "" || fragment.startsWith("/")
                ? resource && pointedAt(resource, fragment)
                : this.identified.get(uri);
        if (typeof target !== "boolean" && !isFields(target)) {
            const problem = reference.startsWith("#") ? "does not exist" : "is not part of it";
            throw new TypeError(`it refers to ${reference}, which ${problem}`);
        }
        // Some schemas keep definitions in places of their own.
        if (resource) this.index(target, this.bases.get(resource) ?? new URL(ROOT));
        return target;
    }

    private absolute(reference: string, from: Fields): string {
        return parseUrl(reference, this.bases.get(from))?.href ?? reference;
    }

    private index(schema: unknown, parent: URL): void {
        if (!isFields(schema) || this.bases.has(schema)) return;
        const base = this.identify(schema, parent);
        this.bases.set(schema, base);
        for (const [keyword, value] of Object.entries(schema)) {
            const children = SCHEMA_KEYWORDS.has(keyword)
                ? [value].flat()
                : SCHEMA_MAP_KEYWORDS.has(keyword) && isFields(value)
                  ? Object.values(value)
                  : [];
            for (const child of children) this.index(child, base);
        }
    }

    private identify(schema: Fields, parent: URL): URL {
        const id = schema[this.idKeyword];
        const isHidden = this.refHidesSiblings && schema.$ref !== undefined;
        const own = typeof id === "string" && !isHidden ? parseUrl(id, parent) : undefined;
        const isAnchor = own !== undefined && own.hash !== "";
        const base = own && !isAnchor ? own : parent;
        const anchors = [schema.$anchor, schema.$dynamicAnchor].filter(
            (name) => typeof name === "string"
        );
        for (const anchor of [schema.$dynamicAnchor, schema.$recursiveAnchor]) {
            if (anchor !== undefined) {
                this.dynamic.set(anchor, [...(this.dynamic.get(anchor) ?? []), schema]);
            }
        }
        const uris = [own?.href, ...anchors.map((name) => parseUrl(`#${name}`, base)?.href)];
        for (const uri of uris) {
            // An empty fragment names the whole resource.
            if (uri !== undefined) this.identified.set(uri.replace(/#$/, ""), schema);
        }
        return base;
    }
}

function pointedAt(root: object, fragment: string): unknown {
    return fragment
        .split("/")
        .slice(1)
        .reduce<unknown>((value, step) => {
            const name = attempt(() => decodeURIComponent(step), step)
                .replaceAll("~1", "/")
                .replaceAll("~0", "~");
            return typeof value === "object" && value !== null && Object.hasOwn(value, name)
                ? Reflect.get(value, name)
                : undefined;
        }, root);
}

/** Resolves a reference within a schema that has no identifiers: `#/$defs/a`. */
export function resolvePointer(root: object, reference: string): Fields | undefined {
    const found = pointedAt(root, reference.slice(1));
    return isFields(found) ? found : undefined;
}
