import { ownValue } from "../../base/fields.js";
import type { Command, Interfaces } from "@oclif/core";
import { nearName } from "../../base/near-name.js";
import { isExpectedError, NorthError } from "../../base/north-error.js";
import { IN_PROGRESS_EXIT_CODE } from "../../storage/conversations/keyed-runs.js";
import { stepToMcp } from "../../core/slash-commands.js";
import { COMMANDS_ELSEWHERE, FLAGS_ELSEWHERE } from "./names-elsewhere.js";

// oclif's wrapping around a message.
const SEE_HELP = /\nSee more help with --help$/;
const SEVERAL = /^The following errors? occurred:\n\s*/;
const NO_HELP = /^Command (\S+) not found\.$/;
const PARSING = /^Parsing (--\S+) \n\t/;

/** oclif's messages, and North's wording. */
const SENTENCES: readonly (readonly [pattern: RegExp, sentence: string])[] = [
    [/^Flag (--\S+) expects a value$/, "$1 needs a value."],
    [/^(--[^=]+)=.* cannot also be provided when using (--\S+)$/s, "$1 cannot be used with $2."],
    [/^All of the following must be provided when using (--\S+): (.+)$/, "$1 needs $2."],
    [/^Missing required flag (\S+)$/, "--$1 is missing."],
    [/[^.?!]$/, "$&."],
];

type CalledCommand = Pick<Command.Loadable, "id" | "flags" | "args"> & {
    readonly baseFlags?: object;
};

/** The error for a command line that oclif could not parse, with suggestions. */
export function parseFailure(error: Error, command: CalledCommand): NorthError {
    const name = `north ${displayName(command.id)}`;
    const { sentence, next = [] } = problemOf(error, name, command);
    const help = `\`${name} --help\` shows its arguments and flags.`;
    return new NorthError("invalid-usage", sentence, [...next, help]);
}

/** Likewise for oclif's own: a plugin's command, whose whole help oclif would print, and unknown help. */
export function foreignFailure(
    error: Error,
    words: readonly string[],
    config: Interfaces.Config
): Error {
    const [, unknown] = NO_HELP.exec(error.message) ?? [];
    if (unknown !== undefined) return unknownCommand(displayName(unknown), config);
    // Not `instanceof`: a plugin may have another copy of oclif.
    if (!("oclif" in error && "parse" in error)) return error;
    const command = words
        .map((_, index) => config.findCommand(words.slice(0, index + 1).join(":")))
        .findLast((found) => found !== undefined);
    return command === undefined ? error : parseFailure(error, command);
}

function problemOf(error: Error, name: string, command: CalledCommand) {
    if ("flags" in error && Array.isArray(error.flags)) {
        return { sentence: unknownFlags(error.flags, name, command) };
    }

    const said = error.message.replace(SEE_HELP, "").replace(SEVERAL, "").replace(PARSING, "$1: ");
    if (!("args" in error) || !Array.isArray(error.args)) {
        const [pattern, sentence] = SENTENCES.find(([known]) => known.test(said)) ?? [/$/, ""];
        return { sentence: said.replace(pattern, sentence) };
    }
    const missing = error.args.filter(isArgument);
    if (missing.length > 0) {
        return {
            sentence: `\`${name}\` needs ${missing.map((arg) => arg.name.toUpperCase()).join(", ")}.`,
            next: missing.map((arg) => `${arg.name.toUpperCase()}: ${arg.description ?? ""}`),
        };
    }
    const takesWords = Object.keys(command.args).length > 0;
    return {
        sentence: `${said}.`,
        next: takesWords ? ["Put quotes around words that belong together."] : [],
    };
}

function unknownFlags(flags: readonly string[], name: string, command: CalledCommand): string {
    const known = Object.keys({ ...command.baseFlags, ...command.flags });
    const sentences = flags.map((flag) => {
        const near = nearName(flag.replace(/^-+/, ""), known);
        // Other assistants' flags are those of a chat.
        const elsewhere =
            known.includes("print") && ownValue(FLAGS_ELSEWHERE, flag.replace(/=.*/, ""));
        const hint = elsewhere || (near === undefined ? "" : `Did you mean --${near}?`);
        return `\`${name}\` has no flag ${flag}. ${hint}`.trimEnd();
    });
    return sentences.join("\n");
}

function isArgument(value: unknown): value is { name: string; description?: string } {
    return typeof value === "object" && value !== null && "name" in value;
}

/** The error for an unknown command, as typed. Suggests a similar name, or quotes around a question. */
export function unknownCommand(typed: string, config: Interfaces.Config): NorthError {
    const visible = config.commands
        .filter(({ hidden }) => !hidden)
        .map((each) => displayName(each.id));
    const names = [...visible, ...config.topics.map((each) => displayName(each.name))];
    const [first = "", ...rest] = typed.split(" ");
    const isWithin = typed !== first && names.includes(first);
    const isTopic = config.commands.some((command) => command.id.startsWith(`${first}:`));
    if (isWithin && !isTopic) {
        return new NorthError("invalid-usage", `\`north ${first}\` takes no ${rest.join(" ")}.`, [
            `\`north ${first} --help\` shows what it takes.`,
        ]);
    }
    if (first === "mcp" && !isWithin) {
        return new NorthError("invalid-usage", `There is no command \`north ${typed}\`.`, [
            stepToMcp(),
        ]);
    }
    const elsewhere = [`${first} ${rest[0]}`, first]
        .map((name) => ownValue(COMMANDS_ELSEWHERE, name))
        .find(Boolean);
    const near = nearName(typed, names);
    const question = typed === first ? "your question" : typed;
    return new NorthError("invalid-usage", `There is no command \`north ${typed}\`.`, [
        ...(elsewhere === undefined ? [] : [elsewhere]),
        ...(near === undefined ? [] : [`Did you mean \`north ${near}\`?`]),
        ...(isWithin
            ? []
            : [`A question needs quotes: \`north "${question}"\`, or \`north -p "${question}"\`.`]),
        `\`north ${isWithin ? `${first} ` : ""}--help\` lists the commands.`,
    ]);
}

/** The words of an ID of oclif's, which joins them with colons. */
export function displayName(id: string): string {
    return id.replaceAll(":", " ");
}

const USAGE_CODES = new Set([
    ...["no-prompt", "not-a-terminal", "unknown-model", "no-thinking", "invalid-usage"],
    ...["other-task", "denied-by-policy"],
]);

/** The exit code of a run that could not start: 2 for wrong usage, 75 to try later, else 1. */
export function exitCodeOf(error: unknown): number {
    const code = isExpectedError(error) ? error.code : "";
    if (code === "held-elsewhere") return IN_PROGRESS_EXIT_CODE;
    return USAGE_CODES.has(code) ? 2 : 1;
}
