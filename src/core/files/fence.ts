export interface Fence {
    readonly mark: "`" | "~";
    readonly length: number;
}

// https://spec.commonmark.org/0.31.2/#fenced-code-blocks
const FENCE = /^ {0,3}(`{3,}|~{3,})([^]*)/;

/** The fence open after a line, given the one open before it. */
export function fenceAfter(line: string, before: Fence | undefined): Fence | undefined {
    const [, marks, rest = ""] = FENCE.exec(line.replace(/\r$/, "")) ?? [];
    if (marks === undefined) return before;
    const mark = marks.startsWith("`") ? "`" : "~";
    if (before === undefined) {
        // Three backticks followed by more on the same line are inline code.
        const isInline = mark === "`" && rest.includes("`");
        return isInline ? undefined : { mark, length: marks.length };
    }
    const closes = mark === before.mark && marks.length >= before.length && rest.trim() === "";
    return closes ? undefined : before;
}

export function fenceAtEnd(text: string): Fence | undefined {
    const lines = text.split("\n").slice(0, -1);
    return lines.reduce<Fence | undefined>((fence, line) => fenceAfter(line, fence), undefined);
}

/** Formats a code block with a fence longer than any in the text, so that none closes it. */
export function fenced(text: string, language = ""): string {
    const runs = [...text.matchAll(/`+/g)].map(([run]) => run.length);
    const fence = "`".repeat(runs.reduce((longest, length) => Math.max(longest, length), 2) + 1);
    return `${fence}${language}\n${text}\n${fence}`;
}
