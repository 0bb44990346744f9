import type { RegisterHook } from "north-cli/plugin";
import { bedrock } from "./provider.js";

const register: RegisterHook = async () => ({ apiVersion: 1, providers: [bedrock] });

export default register;
