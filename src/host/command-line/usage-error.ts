import type { Command, Interfaces } from "@oclif/core";
import { nearName } from "../../core/near-name.js";
import { NorthError } from "../../plugin/north-error.js";

const SEE_HELP = /\nSee more help with --help$/;

/** Of a line that oclif could not parse: what is wrong with it, and what was probably meant. */
export function parseFailure(error: Error, command: Command.Class): NorthError {
    const name = `north ${spoken(command.id)}`;
    const next = [`\`${name} --help\` tells what it takes.`];
    if (!("flags" in error) || !Array.isArray(error.flags)) {
        return new NorthError("invalid-usage", error.message.replace(SEE_HELP, ""), next);
    }
    const known = Object.keys({ ...command.baseFlags, ...command.flags });
    const unknown = error.flags.map((flag) => {
        const near = nearName(flag.replace(/^-+/, ""), known);
        const hint = near === undefined ? "" : ` Did you mean --${near}?`;
        return `\`${name}\` has no flag ${flag}.${hint}`;
    });
    return new NorthError("invalid-usage", unknown.join("\n"), next);
}

/** Of a command that there is not: what was probably meant, or that a question needs quotes. */
export function unknownCommand(id: string, config: Interfaces.Config): NorthError {
    const visible = config.commands.filter(({ hidden }) => !hidden).map((each) => spoken(each.id));
    const names = [...visible, ...config.topics.map((each) => spoken(each.name))];
    const typed = spoken(id);
    const near = nearName(typed, names);
    const [first = ""] = typed.split(" ");
    const isWithin = typed !== first && names.includes(first);
    const question = typed === first ? "your question" : typed;
    return new NorthError("invalid-usage", `There is no command \`north ${typed}\`.`, [
        ...(near === undefined ? [] : [`Did you mean \`north ${near}\`?`]),
        ...(isWithin
            ? []
            : [`A question needs quotes: \`north "${question}"\`, or \`north -p "${question}"\`.`]),
        `\`north ${isWithin ? `${first} ` : ""}--help\` lists the commands.`,
    ]);
}

function spoken(id: string): string {
    return id.replaceAll(":", " ");
}
