import type { Command } from "@oclif/core";

/** Moves each text that begins with a dash behind `--`: a word with white space is never a flag. */
export function dashedTextsLast(
    argv: readonly string[],
    flags: Readonly<Record<string, Pick<Command.Flag.Any, "type" | "char">>>
): string[] {
    const options = Object.entries(flags).filter(([, { type }]) => type === "option");
    const names = new Set(options.flatMap(([name, { char }]) => [`--${name}`, `-${char}`]));
    const end = argv.includes("--") ? argv.indexOf("--") : argv.length;
    const isText = (word: string, index: number) =>
        index < end &&
        /^-.*\s/s.test(word) &&
        !/^--[\w-]+=/.test(word) &&
        !names.has(argv[index - 1] ?? "");
    const texts = argv.filter(isText);
    if (texts.length === 0) return [...argv];
    const words = argv.slice(0, end).filter((word, index) => !isText(word, index));
    return [...words, "--", ...texts, ...argv.slice(end + 1)];
}
