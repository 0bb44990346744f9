// Replaces these globals in the bundle: the first use of any makes Node load its whole HTTP client,
// which North does not use. That would take a seventh of the time to the first request.
export { Headers } from "@whatwg-node/node-fetch";

export const FormData = late("FormData");
export const Request = late("Request");
export const Response = late("Response");

/**
 * Forwards to the real global, but does not load it just to test a value that cannot be an
 * instance.
 */
function late(name) {
    const isOne = (value) =>
        value?.[Symbol.toStringTag] === name && value instanceof globalThis[name];
    // Not a class: its `prototype` could not be replaced.
    return new Proxy(function () {}, {
        construct: (_, values, target) => Reflect.construct(globalThis[name], values, target),
        get: (_, key) => (key === Symbol.hasInstance ? isOne : globalThis[name][key]),
        has: (_, key) => key in globalThis[name],
    });
}
