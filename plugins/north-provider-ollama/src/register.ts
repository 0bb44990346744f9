import type { RegisterHook } from "north-cli/plugin";
import { createOllama } from "./provider.js";

const register: RegisterHook = async ({ settings }) => ({
    apiVersion: 1,
    providers: [createOllama(settings)],
});

export default register;
