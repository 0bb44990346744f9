import { shellEnvironment } from "./environment.js";
import { cleanEnvironment, type Variables, variablesIn } from "./containment/clean-environment.js";
import type { ShellState } from "./containment/containment.js";
import { quote } from "../base/shell-quote.js";

/** Runs in a subshell, so that it leaves no trace in the session. */
export const SNAPSHOT = `(
\\builtin compgen -e | while IFS= \\builtin read -r name; do
    \\builtin printf '%s=%s\\0' "$name" "\${!name}"
done
\\builtin printf '\\0'
\\builtin shopt -p extglob globstar nullglob dotglob failglob nocaseglob nocasematch lastpipe
\\builtin declare -f
\\builtin declare -Fx
\\builtin alias -p
[[ -o errexit ]] && \\builtin echo 'set -e'
[[ -o nounset ]] && \\builtin echo 'set -u'
[[ -o pipefail ]] && \\builtin echo 'set -o pipefail'
)`;

export interface StartState extends ShellState {
    /** Whether commands left what may let a name run another program than at first. */
    readonly isChanged: boolean;
}

/**
 * Security: what commands leave behind. Nobody approved a contained command, so what it exports
 * reaches contained commands only, unless the user approves it together with a command that runs
 * for real. What real commands leave in the session reaches both.
 */
export class CarriedState {
    private readonly started: Variables;
    private variables: Variables;
    private definitions = "";
    private readonly contained = new Map<string, string | undefined>();

    /** Starts with the state the first session would start with. */
    constructor(environment: NodeJS.ProcessEnv, withheldVariables: readonly string[]) {
        this.started = new Map(
            Object.entries(shellEnvironment(environment, withheldVariables, ""))
        );
        this.variables = this.started;
    }

    /** Takes what the session printed for `SNAPSHOT`. */
    take(printed: string): void {
        const end = printed.indexOf("\0\0");
        if (end < 0) return;
        const variables = variablesIn(printed.slice(0, end).split("\0"));
        for (const [name, value] of variables) {
            // A value newly set by the session overrides a contained command's.
            if (this.variables.get(name) !== value) this.contained.delete(name);
        }
        this.variables = variables;
        this.definitions = printed.slice(end + 2);
    }

    realState(folder: string): StartState {
        return this.stateWith(folder, this.variables);
    }

    containedState(folder: string): StartState {
        const variables = new Map(this.variables);
        for (const [name, value] of this.contained) {
            if (value === undefined) variables.delete(name);
            else variables.set(name, value);
        }
        return this.stateWith(folder, variables);
    }

    private stateWith(folder: string, variables: Variables): StartState {
        const { definitions } = this;
        const [before, after] = [cleanEnvironment(this.started), cleanEnvironment(variables)];
        const isChanged =
            before.size !== after.size ||
            [...after].some(([name, value]) => before.get(name) !== value) ||
            // Options run no other program.
            definitions.split("\n").some((line) => !/^(?:(?:shopt|set) .*)?$/.test(line));
        return { folder, variables, definitions, isChanged };
    }

    keepFromContained(changes: ReadonlyMap<string, string | undefined>): void {
        for (const [name, value] of changes) this.contained.set(name, value);
    }

    /** What contained commands set and the session lacks. */
    setByContained(): Variables {
        return new Map(
            [...this.contained].filter(
                (entry): entry is [string, string] =>
                    entry[1] !== undefined && entry[1] !== this.variables.get(entry[0])
            )
        );
    }

    /** Returns a command that gives the session these variables, and one that takes them away. */
    loan(variables: Variables): { readonly give: string; readonly takeBack: string } {
        const give: string[] = [];
        const takeBack: string[] = [];
        for (const [name, value] of variables) {
            const before = this.variables.get(name);
            const undo =
                before === undefined
                    ? `\\builtin unset -v ${name}`
                    : `\\builtin export ${name}=${quote(before)}`;
            give.push(`\\builtin export ${name}=${quote(value)}`);
            // What the command itself set instead stays.
            takeBack.push(`[[ \${${name}-} != ${quote(value)} ]] || ${undo}`);
        }
        return { give: give.join("\n"), takeBack: takeBack.join("\n") };
    }
}
