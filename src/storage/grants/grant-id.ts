/** Canonical id, by which grants are compared: another spelling of an entry is the same grant. */
export type GrantId = string;

export function idOf(...parts: readonly (string | number)[]): GrantId {
    return JSON.stringify(parts);
}
