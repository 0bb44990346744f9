/** Marks what the host says in the middle of what was typed or read; nothing in it can end it. */
export function reminder(text: string): string {
    const harmless = text.replace(/<(?=\/?system-reminder)/gi, "‹");
    return `<system-reminder>\n${harmless}\n</system-reminder>`;
}
