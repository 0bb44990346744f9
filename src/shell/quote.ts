/** A text as one word of bash, whatever is in it. */
export function quote(text: string): string {
    return `'${text.replaceAll("'", "'\\''")}'`;
}
