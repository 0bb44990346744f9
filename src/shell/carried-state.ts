import { shellEnvironment } from "./environment.js";
import { isSteering, variablesIn } from "./containment/clean-environment.js";
import type { SessionState } from "./containment/containment.js";
import { quote } from "./quote.js";

type Changes = ReadonlyMap<string, string | undefined>;

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

/**
 * State shared between contained commands and the persistent session. Contained commands see the
 * session's state, and the session gets what they export, except variables that steer other
 * programs. Those affect contained commands only.
 */
export class CarriedState {
    private variables: ReadonlyMap<string, string>;
    private definitions = "";
    private readonly adopted = new Map<string, string | undefined>();
    private readonly forSession = new Map<string, string | undefined>();

    /** Starts with the state the first session would start with. */
    constructor(environment: NodeJS.ProcessEnv, withheldVariables: readonly string[]) {
        this.variables = new Map(
            Object.entries(shellEnvironment(environment, withheldVariables, ""))
        );
    }

    take(printed: string): void {
        const end = printed.indexOf("\0\0");
        if (end < 0) return;
        const variables = variablesIn(printed.slice(0, end).split("\0"));
        for (const [name, value] of variables) {
            // A value newly set by the session overrides a contained command's.
            if (this.variables.get(name) !== value) this.adopted.delete(name);
        }
        this.variables = variables;
        this.definitions = printed.slice(end + 2);
    }

    stateIn(folder: string): SessionState {
        const variables = new Map(this.variables);
        for (const [name, value] of this.adopted) {
            if (value === undefined) variables.delete(name);
            else variables.set(name, value);
        }
        return { folder, variables, definitions: this.definitions };
    }

    /** Returns the names of variables withheld from the session. */
    adopt(changes: Changes): readonly string[] {
        for (const [name, value] of changes) {
            this.adopted.set(name, value);
            if (!isSteering(name)) this.forSession.set(name, value);
        }
        return [...changes.keys()].filter(isSteering);
    }

    /** Returns a command that updates the session; `undefined` if it is up to date. */
    takeUpdate(): string | undefined {
        const lines = [...this.forSession].map(([name, value]) =>
            value === undefined
                ? `\\builtin unset -v ${name}`
                : `\\builtin export ${name}=${quote(value)}`
        );
        this.forSession.clear();
        return lines.length === 0 ? undefined : lines.join("; ");
    }
}
