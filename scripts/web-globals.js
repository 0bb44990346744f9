// What the bundle takes for the globals of these names. The first use of any of them makes Node load
// its whole HTTP client, which North does not send with: a seventh of the time until the first request.
export { Headers } from "@whatwg-node/node-fetch";

export const FormData = late("FormData");
export const Request = late("Request");
export const Response = late("Response");

/** The global itself, but no value that cannot be one of its kind makes Node load it. */
function late(name) {
    const isOne = (value) =>
        value?.[Symbol.toStringTag] === name && value instanceof globalThis[name];
    // No class: its `prototype` could be no other.
    return new Proxy(function () {}, {
        construct: (_, values, target) => Reflect.construct(globalThis[name], values, target),
        get: (_, key) => (key === Symbol.hasInstance ? isOne : globalThis[name][key]),
        has: (_, key) => key in globalThis[name],
    });
}
