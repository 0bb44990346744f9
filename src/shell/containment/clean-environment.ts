/** Variables that give access to other processes of the user, or to other machines. */
const ACCESS =
    /^(?:SSH_|DBUS_|GPG_|XDG_RUNTIME_DIR$|DISPLAY$|WAYLAND_DISPLAY$|XAUTHORITY$|DOCKER_|KUBECONFIG$|TMUX|STY$|NORTH_|AWS_|AZURE_|GOOGLE_APPLICATION_|VAULT_)/;

const SECRET =
    /(?:^|_)(?:TOKEN|SECRETS?|PASSWORD|PASSWD|PASSPHRASE|PAT|APIKEY|API_KEY|ACCESS_KEY|PRIVATE_KEY|SECRET_KEY|CREDENTIALS?|AUTH|DATABASE_URL)(?:_|$)/i;

/** Variables that belong to one bash process or cannot be passed on. */
const OWN = /^(?:PWD|OLDPWD|SHLVL|_|TMPDIR|PPID|UID|EUID|BASHOPTS|SHELLOPTS|BASH_.*|BASHPID)$/;

/** Variables that control other programs or the dynamic loader. */
const STEERING =
    /^(?:PATH|LD_.*|DYLD_.*|BASH_ENV|ENV|IFS|PROMPT_COMMAND|PS[0-4]|GIT_.*|NODE_.*|NPM_.*|npm_.*|PYTHON.*|PERL.*|RUBY.*|JAVA_.*|JDK_.*|_JAVA_.*|MAVEN_.*|GRADLE_.*|RUST.*|CARGO_.*|GO.*|CC|CXX|LD|AR|MAKE.*|EDITOR|VISUAL|PAGER|.*_PAGER|BROWSER|LESS.*|SHELL|HOME|XDG_.*|.*_PROXY|.*_proxy|.*_HOME|.*_COMMAND|.*PRELOAD.*)$/;

const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;

export type Variables = ReadonlyMap<string, string>;

/** Parses `NAME=value` entries. */
export function variablesIn(entries: readonly string[]): Variables {
    return new Map(
        entries.map((entry) => {
            const end = entry.indexOf("=");
            return [entry.slice(0, end), entry.slice(end + 1)];
        })
    );
}

/** Removes secrets, agents and buses: returns what a contained command may see. */
export function cleanEnvironment(variables: Iterable<readonly [string, string]>) {
    const clean = new Map<string, string>();
    for (const [name, value] of variables) {
        const isKept =
            NAME.test(name) && ![ACCESS, SECRET, OWN].some((hidden) => hidden.test(name));
        if (isKept) clean.set(name, value);
    }
    return clean;
}

/** Returns the variables a contained command changed; `undefined` for those no longer exported. */
export function changedVariables(before: Variables, after: Variables) {
    const changed = new Map<string, string | undefined>();
    for (const [name, value] of cleanEnvironment(after)) {
        if (before.get(name) !== value) changed.set(name, value);
    }
    for (const name of before.keys()) {
        if (!after.has(name)) changed.set(name, undefined);
    }
    return changed;
}

/**
 * Security: whether a variable controls what other programs run or load. The contained command that
 * set it was not approved, so the value must not reach a command that runs for real.
 */
export function isSteering(name: string): boolean {
    return STEERING.test(name);
}
