import type { RegisterHook } from "north-cli/plugin";

declare const register: RegisterHook;
export default register;
