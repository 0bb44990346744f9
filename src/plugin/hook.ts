import type { Contribution } from "./contribution.js";

/** What North tells a plugin that it asks. */
export interface RegisterOptions {
    readonly northVersion?: string;
    /** The repository's root; absent where a command works on none, as `north login` does. */
    readonly root?: string;
    /** The folder of the user's own settings. */
    readonly configFolder?: string;
    /** What the user set for this plugin: `plugins.NAME` of `config.json`, not validated. */
    readonly settings?: Readonly<Record<string, unknown>>;
    /** Where this plugin may keep files of its own. It need not exist yet. */
    readonly dataFolder?: string;
}

/**
 * The oclif hook `north:register`, by which built-ins and third parties alike contribute:
 * `"oclif": {"hooks": {"north:register": "./dist/register"}}` with a default export of this type.
 * North gives it 5 seconds; what it throws is reported in one line with the plugin's name.
 */
export type RegisterHook = (options: RegisterOptions) => Promise<Contribution>;
