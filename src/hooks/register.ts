import { builtin } from "../builtin/index.js";
import { compatibleProvidersFromConfig } from "../builtin/providers/compatible/config.js";
import type { RegisterHook } from "../plugin/index.js";

/** North's first-party plugin comes through the same hook as any other. */
const register: RegisterHook = async ({ settings }) => {
    const { providers, problems } = compatibleProvidersFromConfig(settings);
    return { ...builtin, providers: [...(builtin.providers ?? []), ...providers], problems };
};

export default register;
