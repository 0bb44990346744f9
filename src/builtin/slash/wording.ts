/** An argument without the quotes that keep a slash command inside it from being taken for one. */
export function unquote(text: string): string {
    return /^(["'])(.*)\1$/s.exec(text)?.[2] ?? text;
}
