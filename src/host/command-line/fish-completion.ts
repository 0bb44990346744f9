import type { Config } from "@oclif/core";
import {
    completedFlags,
    typedCommands,
    type CompletedFlag,
    type TypedCommand,
} from "./typed-commands.js";

/** Finds the command on the line, so that only its flags are offered. */
const FUNCTIONS = `function __north_command --description 'The command being typed'
    set -l words (commandline -opc)
    set -l best ''
    set -l typed
    for word in $words[2..]
        set -a typed $word
        contains -- "$typed" $__north_commands; and set best "$typed"
    end
    echo $best
end

function __north_in --description 'One of these commands is being typed'
    set -l now (__north_command)
    contains -- "$now" $argv
end

function __north_after --description 'Exactly these words are typed'
    set -l words (commandline -opc)
    test "$words[2..]" = "$argv"
end`;

/** The fish completion script for all commands, including those of plugins. */
export function fishCompletion(config: Config): string {
    const commands = typedCommands(config);
    const known = commands.map(({ words }) => quoted(words)).join(" ");
    return [
        `# fish completion for ${config.bin} ${config.version}; written by \`${config.bin} completion fish\``,
        `set -g __north_commands ${known}`,
        FUNCTIONS,
        `complete -c ${config.bin} -f`,
        ...commands.flatMap((typed) => commandLines(config, typed)),
        "",
    ].join("\n");
}

function commandLines({ bin }: Config, { words, command }: TypedCommand): string[] {
    const path = words.split(" ");
    const name = path.pop() ?? words;
    // Without a command, the words go to `north chat`.
    const location = [words, ...(words === "chat" ? [""] : [])].map(quoted).join(" ");
    const summary = firstSentence(command.summary ?? command.description);
    return [
        `complete -c ${bin} -n ${quoted(["__north_after", ...path].join(" "))} -a ${quoted(name)} -d ${quoted(summary)}`,
        ...completedFlags(command).map(
            (flag) => `complete -c ${bin} -n ${quoted(`__north_in ${location}`)} ${flagOf(flag)}`
        ),
    ];
}

function flagOf({ name, char, summary, values }: CompletedFlag): string {
    return [
        `-l ${name}`,
        ...(char ? [`-s ${char}`] : []),
        ...valueOf(values),
        `-d ${quoted(firstSentence(summary))}`,
    ].join(" ");
}

function valueOf(values: CompletedFlag["values"]): string[] {
    switch (values) {
        case "none":
            return [];
        case "folders":
            return ["-x -a '(__fish_complete_directories)'"];
        case "files":
            return ["-r -F"];
        case "any":
            return ["-x"];
        default:
            return [`-x -a ${quoted(values.join(" "))}`];
    }
}

function firstSentence(text = ""): string {
    const [sentence = ""] = /^.*?[.;](?=\s|$)/s.exec(text) ?? [text];
    return sentence.replace(/[.;]$/, "").replace(/\s+/g, " ");
}

/** The only two escapes in fish's single quotes. */
function quoted(text: string): string {
    return `'${text.replace(/[\\']/g, "\\$&")}'`;
}
