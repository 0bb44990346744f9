import type { Contribution } from "./contribution.js";

/**
 * The oclif hook `north:register`, by which built-ins and third parties alike contribute:
 * `"oclif": {"hooks": {"north:register": "./dist/register"}}` with a default export of this type.
 * North gives it 5 seconds; what it throws is reported in one line with the plugin's name.
 */
export type RegisterHook = (options: { readonly northVersion?: string }) => Promise<Contribution>;
