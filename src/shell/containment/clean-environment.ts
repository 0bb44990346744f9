import { isCredentialName } from "../../base/secrets/credential-values.js";
import { holdsCredential } from "../../base/secrets/credentials.js";

/** Variables that lead to other processes of the user, or to other machines: agents and services. */
const ACCESS =
    /^(?:SSH_|DBUS_|GPG_|XDG_RUNTIME_DIR$|DISPLAY$|WAYLAND_DISPLAY$|XAUTHORITY$|DOCKER_|KUBECONFIG$|TMUX|STY$|NORTH_|AWS_|AZURE_|GOOGLE_APPLICATION_|VAULT_)/;

/** Git's settings in variables count only together. */
const GIT_SETTINGS = /^GIT_CONFIG_(?:COUNT|PARAMETERS|KEY_\d+|VALUE_\d+)$/;
const GIT_CREDENTIALS = /extraheader|^credential\.|helper/i;

/** Variables that belong to one bash process or cannot be passed on. */
const OWN = /^(?:PWD|OLDPWD|SHLVL|_|TMPDIR|PPID|UID|EUID|BASHOPTS|SHELLOPTS|BASH_.*|BASHPID)$/;

const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;

export type Variables = ReadonlyMap<string, string>;

export function variablesIn(entries: readonly string[]): Variables {
    return new Map(
        entries.map((entry) => {
            const end = entry.indexOf("=");
            return [entry.slice(0, end), entry.slice(end + 1)];
        })
    );
}

/**
 * Removes secrets, agents and buses: returns what a contained command may see. Names withhold, and so
 * do values: a URL with a password, a token. A name such as `SSH_KEY_PATH` or `PASSWORD_FILE` only
 * says where a secret is; the rule for files guards that place.
 */
export function cleanEnvironment(variables: Iterable<readonly [string, string]>) {
    const entries = [...variables];
    const clean = new Map(
        entries.filter(
            ([name, value]) =>
                NAME.test(name) &&
                !ACCESS.test(name) &&
                !OWN.test(name) &&
                (GIT_SETTINGS.test(name) || !isCredential(name, value))
        )
    );
    const hasGitCredentials = entries.some(
        ([name, value]) =>
            GIT_SETTINGS.test(name) && (GIT_CREDENTIALS.test(value) || holdsCredential(value))
    );
    if (hasGitCredentials) {
        for (const name of clean.keys()) if (GIT_SETTINGS.test(name)) clean.delete(name);
    }
    return clean;
}

/** Whether a variable holds a credential, by its name or by its value. */
export function isCredential(name: string, value: string): boolean {
    return isCredentialName(name, value) || holdsCredential(value, "settings");
}

/** Returns the variables a contained command changed; `undefined` for those no longer exported. */
export function changedVariables(before: Variables, after: Variables) {
    const others = [...after].filter(([name, value]) => before.get(name) !== value);
    const changed = new Map<string, string | undefined>(cleanEnvironment(others));
    for (const name of before.keys()) {
        if (!after.has(name)) changed.set(name, undefined);
    }
    return changed;
}
