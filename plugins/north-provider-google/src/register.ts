import type { RegisterHook } from "north-cli/plugin";
import { google } from "./provider.js";

const register: RegisterHook = async () => ({ apiVersion: 1, providers: [google] });

export default register;
