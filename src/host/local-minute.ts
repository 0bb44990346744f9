/** `2026-11-22 14:05` in the user's own time zone. */
export function localMinute(at: number): string {
    const offset = new Date(at).getTimezoneOffset() * 60_000;
    return new Date(at - offset).toISOString().slice(0, 16).replace("T", " ");
}
