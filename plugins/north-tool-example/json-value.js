/** A tool for the model: one value of a JSON file, by JSON Pointer (RFC 6901). */
export const jsonValue = {
    name: "json_value",
    description:
        "Read one value of a JSON file, without reading all of it. The pointer is a JSON Pointer: " +
        "/scripts/test, /items/0; empty for the whole document.",
    approval: "none",
    readOnly: true,
    inputSchema: {
        type: "object",
        properties: {
            path: { type: "string", minLength: 1, description: "Relative to the repository root" },
            pointer: { type: "string", pattern: "^(/.*)?$" },
        },
        required: ["path", "pointer"],
        additionalProperties: false,
    },
    intent: ({ path, pointer }) => `Looking up ${oneLine(pointer) || "all"} in ${oneLine(path)}`,
    summary: ({ type }) => type,
    async execute({ path, pointer }, { workspace }) {
        // Refuses what is outside the repository, ignored or a secret; North tells the model.
        const file = await workspace.read(path);
        const document = parse(new TextDecoder().decode(file.bytes));
        if (document === undefined) {
            return failure("not-json", `${file.path} is not valid JSON.`, "Use read_file instead.");
        }
        const found = lookUp(document.value, pointer);
        if (found.missing !== undefined) {
            return failure(
                "not-found",
                `There is no ${found.missing} in ${file.path}.`,
                found.hint
            );
        }
        return {
            ok: true,
            data: { path: file.path, type: typeOf(found.value), value: found.value },
        };
    },
};

/** Undefined where the text is not JSON; the value itself may be anything. */
function parse(text) {
    try {
        return { value: JSON.parse(text) };
    } catch {
        return undefined;
    }
}

function lookUp(document, pointer) {
    let value = document;
    const walked = [];
    for (const token of pointer.split("/").slice(1)) {
        const key = token.replaceAll("~1", "/").replaceAll("~0", "~");
        walked.push(token);
        const isContainer = typeof value === "object" && value !== null;
        if (!isContainer || !Object.hasOwn(value, key)) {
            const keys = isContainer ? Object.keys(value).slice(0, 20) : [];
            const hint = keys.length > 0 ? `There are: ${keys.join(", ")}.` : undefined;
            return { missing: `/${walked.join("/")}`, hint };
        }
        value = value[key];
    }
    return { value };
}

function typeOf(value) {
    if (value === null) return "null";
    return Array.isArray(value) ? "array" : typeof value;
}

function failure(code, message, hint) {
    const error = { code, message: oneLine(message) };
    return { ok: false, error: hint === undefined ? error : { ...error, hint } };
}

/** What is shown stays on its line, whatever a model writes. */
function oneLine(text) {
    return text.replace(/\s+/g, " ");
}
