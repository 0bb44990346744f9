import { randomBytes } from "node:crypto";
import { sleep } from "../base/waiting.js";
import type { Edges } from "../core/agent/turn.js";

export const realEdges: Edges = {
    now: () => Date.now(),
    id: () => randomBytes(6).toString("hex"),
    random: () => Math.random(),
    sleep,
};
