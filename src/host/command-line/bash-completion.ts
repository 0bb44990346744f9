import type { Config } from "@oclif/core";
import { groupBy } from "../../base/group-by.js";
import { quote } from "../../base/shell-quote.js";
import { completedFlags, typedCommands, type CompletedFlag } from "./typed-commands.js";

/** In `--by=model`, `=` is a word of its own in bash and no separator in zsh. */
const FUNCTION = `_north() {
    local IFS=$'\\n' line=$'\\n'$__north_commands$'\\n' typed='' command='' values='' prefix='' word
    local current=\${COMP_WORDS[COMP_CWORD]} previous=\${COMP_WORDS[COMP_CWORD-1]}
    [[ $current == '=' ]] && current=''
    [[ $previous == '=' ]] && previous=\${COMP_WORDS[COMP_CWORD-2]}
    if [[ $current == --*=* ]]; then
        previous=\${current%%=*} prefix=\${current%%=*}= current=\${current#*=}
    fi
    for word in "\${COMP_WORDS[@]:1:$((COMP_CWORD - 1))}"; do
        typed=\${typed:+$typed }$word
        [[ $line == *$'\\n'$typed$'\\n'* ]] && command=$typed
    done
    if [[ $previous == -* ]]; then
        values=$(__north_values "\${command:-chat} $previous")
        case $values in
            files) COMPREPLY=($(compgen -P "$prefix" -f -- "$current")); return ;;
            folders) COMPREPLY=($(compgen -P "$prefix" -d -- "$current")); return ;;
            any) return ;;
        esac
    fi
    if [[ -z $values && $current == -* ]]; then
        values=$(__north_flags "\${command:-chat}")
    elif [[ -z $values && $typed == "$command" ]]; then
        values=$(while read -r word; do
            [[ -z $typed || $word == "$typed "* ]] || continue
            word=\${word#"$typed"}
            word=\${word# }
            echo "\${word%% *}"
        done <<< "$__north_commands" | sort -u)
    fi
    COMPREPLY=($(compgen -P "$prefix" -W "$values" -- "$current"))
}
[[ -n \${ZSH_VERSION-} ]] && autoload -U +X bashcompinit && bashcompinit`;

/** The completion script for bash and zsh for all commands, including those of plugins. */
export function bashCompletion(config: Config): string {
    const { bin, version } = config;
    const commands = typedCommands(config).map(({ words, command }) => ({
        words,
        flags: completedFlags(command),
    }));
    const flags = commands.map(
        ({ words, flags: own }) => [[words], own.map(({ name }) => `--${name}`)] as const
    );
    const values = commands.flatMap(({ words, flags: own }) =>
        own
            .filter((flag) => flag.values !== "none")
            .map(
                (flag) =>
                    [namesOf(flag).map((name) => `${words} ${name}`), [flag.values].flat()] as const
            )
    );
    return [
        `# bash and zsh completion for ${bin} ${version}; written by \`${bin} completion bash\``,
        `__north_commands='${commands.map(({ words }) => words).join("\n")}'`,
        lookUp("__north_flags", flags),
        lookUp("__north_values", values),
        FUNCTION,
        `complete -F _north ${bin}`,
        "",
    ].join("\n");
}

function lookUp(
    name: string,
    entries: readonly (readonly [readonly string[], readonly string[]])[]
): string {
    const quoted = (texts: readonly string[]) => texts.map((text) => quote(text));
    const groups = groupBy(entries, ([, lines]) => quoted(lines).join(" "));
    const cases = [...groups].map(([lines, group]) => {
        const keys = group.flatMap(([each]) => quoted(each));
        return `        ${keys.join("|")}) printf '%s\\n' ${lines} ;;`;
    });
    return [`${name}() {`, '    case "$1" in', ...cases, "    esac", "}"].join("\n");
}

function namesOf({ name, char }: CompletedFlag): string[] {
    return [`--${name}`, ...(char === undefined ? [] : [`-${char}`])];
}
