/**
 * A plugin's own secrets, such as the tokens of a sign-in. They are stored like API keys: in the
 * system's keychain, or without one in `credentials.json` with mode 0600.
 */
export interface PluginSecrets {
    find(name: string): Promise<string | undefined>;
    save(name: string, secret: string): Promise<void>;
    /** Resolves with whether there was one. */
    remove(name: string): Promise<boolean>;
}
