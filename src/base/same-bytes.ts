/** Whether two contents are the same; `null`: there is none. */
export function sameBytes(one: Uint8Array | null, other: Uint8Array | null): boolean {
    return one && other ? Buffer.compare(one, other) === 0 : one === other;
}
