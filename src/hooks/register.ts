import { builtin } from "../builtin/index.js";
import type { RegisterHook } from "../plugin/index.js";

/** North's first-party plugin comes through the same hook as any other. */
const register: RegisterHook = async () => builtin;

export default register;
