import type { ForgottenKey } from "../../plugin/index.js";

/** `1,234,567` */
export function thousands(amount: number): string {
    return String(amount).replace(/\B(?=(\d{3})+$)/g, ",");
}

/** An argument without the quotes that keep a slash command inside it from being taken for one. */
export function unquote(text: string): string {
    return /^(["'])(.*)\1$/s.exec(text)?.[2] ?? text;
}

/** What has become of a key, and what is still used in its place. */
export function forgottenKey({ provider, wasStored, variable }: ForgottenKey): string {
    const what = wasStored
        ? `The key for ${provider} is forgotten.`
        : `There was no stored key for ${provider}.`;
    return variable === undefined ? what : `${what} ${variable} is still set, and is used.`;
}
