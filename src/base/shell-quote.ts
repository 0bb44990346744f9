/** Quotes any text as one bash word. */
export function quote(text: string): string {
    return `'${text.replaceAll("'", "'\\''")}'`;
}
