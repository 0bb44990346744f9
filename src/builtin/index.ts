import type { Contribution } from "../plugin/index.js";
import * as checks from "./checks.js";
import * as providers from "./providers.js";
import * as slashCommands from "./slash-commands.js";
import * as tools from "./tools.js";

/** North's own plugin: everything the four lists export, sorted by name. */
export const builtin: Contribution = {
    apiVersion: 1,
    tools: Object.values(tools),
    providers: Object.values(providers),
    slashCommands: Object.values(slashCommands),
    checks: Object.values(checks),
};
