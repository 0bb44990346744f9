import type { RegisterHook } from "north-cli/plugin";
import { mistral } from "./provider.js";

const register: RegisterHook = async () => ({ apiVersion: 1, providers: [mistral] });

export default register;
