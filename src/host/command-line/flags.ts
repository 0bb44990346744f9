import { Args, Errors, Flags } from "@oclif/core";
import { localMinute } from "../../base/format.js";
import { northDirectories } from "../../storage/files/directories.js";

/** Refuses an empty text, mostly the value of a variable that is not set. */
async function notEmpty(text: string): Promise<string> {
    if (text.trim() !== "") return text;
    throw new Errors.CLIError("Expected a value, but received an empty string");
}

export const textFlag = Flags.custom<string>({ parse: notEmpty });

/** The repository to use. Default: the current one. */
export const pathFlag = Flags.custom<string>({
    description: "Use the repository that contains this folder.",
    helpValue: "DIR",
    parse: notEmpty,
    // Otherwise the manifest would contain the folder it was built in.
    noCacheDefault: true,
    default: async () => process.cwd(),
});

export const movedPathFlag = Flags.custom<string>({
    description: "Repository to use, if it has moved since the conversation.",
    helpValue: "DIR",
    parse: notEmpty,
});

/** Never from a pipe: oclif would read a missing argument, such as a login's key, from stdin. */
export const typedArgument = Args.custom<string>({ ignoreStdin: true, parse: notEmpty });

/** May be empty, as may a message that is piped in. */
export const promptArgument = Args.custom<string>({ ignoreStdin: true });

/** oclif's own integer argument fails as if it were a bug. */
export const turnArgument = Args.custom<number>({
    ignoreStdin: true,
    description: "Turn number; see `north turns`.",
    parse: async (text) => {
        if (/^[1-9]\d*$/.test(text)) return Number(text);
        throw new Errors.CLIError(`Expected a turn number from 1 up, but received: ${text}`);
    },
});

/** A command to run; an empty one would pass every time. */
export const shellCommandFlag = Flags.custom<string>({ helpValue: "CMD", parse: notEmpty });

export async function positive(text: string): Promise<number> {
    const number = Number(text);
    if (Number.isFinite(number) && number > 0) return number;
    throw new Errors.CLIError(`Expected a number above 0 but received: ${text}`);
}

/** A longer timer of Node fires at once. */
const MAX_SECONDS = 2_147_483;

export const timeLimitFlag = Flags.custom<number>({
    helpValue: "SECONDS",
    parse: async (text) => Math.min(await positive(text), MAX_SECONDS),
});

/** Of each run of such a command. */
export const runTimeoutFlag = () =>
    Flags.integer({
        description: "Time limit for each run.",
        default: 300,
        min: 1,
        max: 600,
        helpValue: "SECONDS",
    });

export const shellCommandArgument = Args.custom<string>({
    ignoreStdin: true,
    description: "Exact text of the command.",
    parse: notEmpty,
});

async function toConversationId(text: string): Promise<string> {
    await notEmpty(text);
    const { conversationIdOf } = await import("../conversations/conversation-list.js");
    return conversationIdOf(northDirectories(process.env).data, text);
}

export const conversationArgument = Args.custom<string>({
    ignoreStdin: true,
    description: "Conversation ID, its first digits, or a name; see `north conversations`.",
    parse: toConversationId,
});

export const newestConversationArgument = Args.custom<string>({
    ignoreStdin: true,
    description: "Conversation ID, its first digits, or a name; defaults to the newest here.",
    parse: toConversationId,
});

const HOUR = 3_600_000;
const UNITS: Readonly<Record<string, number>> = { h: HOUR, d: 24 * HOUR, w: 7 * 24 * HOUR };

/** A date or an age: `2026-11-01`, `12h`, `7d`, `2w`. Parses to epoch milliseconds. */
export const sinceFlag = Flags.custom<number>({
    description: "Count only since a date (2026-11-01) or for a period (12h, 7d, 2w).",
    helpValue: "DATE",
    parse: async (text) => {
        const [, amount, unit = ""] = /^(\d+)([hdw])$/.exec(text) ?? [];
        const length = UNITS[unit];
        if (amount !== undefined && length !== undefined) {
            return Date.now() - Number(amount) * length;
        }
        const isDate = /^\d{4}-\d{2}-\d{2}$/.test(text);
        const date = isDate ? new Date(`${text}T00:00:00`).getTime() : Number.NaN;
        // A day that the month does not have is taken for one of the next month.
        if (Number.isFinite(date) && localMinute(date).startsWith(text)) return date;
        throw new Errors.CLIError(
            `Expected a date like 2026-11-01, or 12h, 7d or 2w, but received: ${text}`
        );
    },
});
