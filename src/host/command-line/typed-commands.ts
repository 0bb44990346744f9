import type { Command, Config } from "@oclif/core";

/** A command as typed, such as `conversations show`, or an alias. */
export interface TypedCommand {
    readonly words: string;
    readonly command: Command.Loadable;
}

/** A flag that completion offers, and what may follow it. */
export interface CompletedFlag {
    readonly name: string;
    readonly char?: string;
    readonly summary: string;
    readonly values: "none" | "any" | "files" | "folders" | readonly string[];
}

/** All commands that completion offers, including those of plugins. */
export function typedCommands(config: Config): readonly TypedCommand[] {
    return (
        config.commands
            // oclif lists an alias as a separate command too.
            .filter(({ hidden, id, aliases }) => !hidden && !aliases.includes(id))
            .flatMap((command) =>
                [command.id, ...command.aliases].map((id) => ({
                    words: id.replaceAll(":", " "),
                    command,
                }))
            )
            .sort((one, other) => (one.words < other.words ? -1 : 1))
    );
}

export function completedFlags({ flags }: Command.Loadable): readonly CompletedFlag[] {
    return Object.values(flags)
        .filter(({ hidden }) => !hidden)
        .map((flag) => ({
            name: flag.name,
            char: flag.char,
            summary: flag.summary ?? flag.description ?? "",
            values: valuesOf(flag),
        }));
}

function valuesOf(flag: Command.Loadable["flags"][string]): CompletedFlag["values"] {
    if (flag.type === "boolean") return "none";
    if (flag.options?.length) return flag.options;
    if (flag.helpValue === "DIR") return "folders";
    return flag.helpValue === "PATH" || flag.helpValue === "FILE" ? "files" : "any";
}
