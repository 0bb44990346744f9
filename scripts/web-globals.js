// Replaces these globals in the bundle: the first use of any makes Node load its whole HTTP client,
// which North does not use. That would take a seventh of the time to the first request.
import { isDisturbed } from "node:stream";
import { Headers } from "@whatwg-node/node-fetch";

export { Headers };
export const FormData = late("FormData");
export const Request = late("Request");
export const Response = late("Response", ([body, init], make) =>
    body instanceof ReadableStream && init?.status === 200 && init.headers instanceof Headers
        ? streamed(body, init, make)
        : make()
);

/**
 * Forwards to the real global, but does not load it just to test a value that cannot be an
 * instance.
 */
function late(name, construct = (_, make) => make()) {
    const isOne = (value) =>
        value?.[Symbol.toStringTag] === name && value instanceof globalThis[name];
    // Not a class: its `prototype` could not be replaced.
    return new Proxy(function () {}, {
        construct: (_, values, target) =>
            construct(values, () => Reflect.construct(globalThis[name], values, target)),
        get: (_, key) => (key === Symbol.hasInstance ? isOne : globalThis[name][key]),
        has: (_, key) => key in globalThis[name],
    });
}

/** A response of which readers of a stream use only these fields; any other makes the real one. */
function streamed(body, { headers, status, statusText = "" }, make) {
    const fields = {
        ...{ body, headers, status, statusText, ok: true, redirected: false, url: "" },
        get bodyUsed() {
            return isDisturbed(body);
        },
        [Symbol.toStringTag]: "Response",
        // Promises ask for it.
        then: undefined,
    };
    let real;
    return new Proxy(fields, {
        get(_, key) {
            if (!real && Object.hasOwn(fields, key)) return fields[key];
            real ??= make();
            const value = real[key];
            return typeof value === "function" ? value.bind(real) : value;
        },
        has: (_, key) => key in globalThis.Response.prototype,
        // Whoever tests for the real one has made Node load it, in place of a getter.
        getPrototypeOf: () =>
            Object.getOwnPropertyDescriptor(globalThis, "Response").value?.prototype ?? null,
    });
}
