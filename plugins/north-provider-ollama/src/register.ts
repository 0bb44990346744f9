import type { RegisterHook } from "north-cli/plugin";
import { createOllama } from "./provider.js";

const register: RegisterHook = async ({ settings = {} }) => {
    const { contextTokens, ...others } = settings;
    const problems = Object.keys(others).map((name) => `There is no setting ${name}.`);
    const isWindow = Number.isSafeInteger(contextTokens) && Number(contextTokens) > 0;
    if (contextTokens !== undefined && !isWindow) {
        problems.push("contextTokens must be a whole number above 0.");
    }
    return {
        apiVersion: 1,
        providers: [isWindow ? createOllama(Number(contextTokens)) : createOllama()],
        problems,
    };
};

export default register;
