import { Chalk, type ColorSupportLevel } from "chalk";

const LEVELS: Readonly<Record<number, ColorSupportLevel>> = { 1: 0, 4: 1, 8: 2, 24: 3 };

/** Node's rules: FORCE_COLOR, NO_COLOR, TERM=dumb, COLORTERM and known terminals. */
export function colourLevel(
    output: Partial<Pick<NodeJS.WriteStream, "isTTY" | "getColorDepth">>,
    environment: NodeJS.ProcessEnv
): ColorSupportLevel {
    if (output.isTTY && output.getColorDepth) return LEVELS[output.getColorDepth(environment)] ?? 0;

    const forced = environment.FORCE_COLOR;
    if (forced === undefined || forced === "0" || forced === "false") return 0;
    return forced === "3" ? 3 : forced === "2" ? 2 : 1;
}

export type Theme = ReturnType<typeof createTheme>;

export function createTheme(level: ColorSupportLevel) {
    const chalk = new Chalk({ level });
    return {
        user: chalk.cyan,
        assistant: chalk.magenta,
        tool: chalk.yellow,
        error: chalk.red,
        success: chalk.green,
        quiet: chalk.dim,
        strong: chalk.bold,
        added: chalk.green,
        removed: chalk.red,
        hunk: chalk.cyan,
        warning: chalk.yellow,
        allTime: chalk.blue,
        question: chalk.yellow,
        heading: chalk.bold.underline,
        emphasis: chalk.italic,
        deleted: chalk.strikethrough,
        link: chalk.underline,
        code: chalk.cyan,
        addedWord: chalk.green.inverse,
        removedWord: chalk.red.inverse,
        keyword: chalk.magenta,
        literal: chalk.blue,
        string: chalk.green,
        comment: chalk.dim,
        name: chalk.yellow,
        /** Colours are off; characters must carry the meaning. */
        isPlain: level === 0,
    } as const;
}
