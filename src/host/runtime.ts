import { randomBytes } from "node:crypto";
import { sleep } from "../base/waiting.js";
import type { Runtime } from "../core/agent/turn.js";

export const systemRuntime: Runtime = {
    now: () => Date.now(),
    id: () => randomBytes(6).toString("hex"),
    random: () => Math.random(),
    sleep,
};
