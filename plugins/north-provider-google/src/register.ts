import type { RegisterHook } from "north-cli/plugin";
import { google } from "./provider.js";
import { vertex } from "./vertex.js";

const register: RegisterHook = async () => ({ apiVersion: 1, providers: [google, vertex] });

export default register;
