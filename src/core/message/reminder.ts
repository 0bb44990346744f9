/** Wraps a note from the host; the text inside cannot close it. */
export function reminder(text: string): string {
    const harmless = text.replace(/<(?=\/?system-reminder)/gi, "‹");
    return `<system-reminder>\n${harmless}\n</system-reminder>`;
}
