import { spawnSync } from "node:child_process";

/** How long an ordinary machine takes to start Node and to load TypeScript, in milliseconds. */
const USUAL_MS = 300;

/** How many times slower than an ordinary machine this one is at what tests do most, at least 1. */
export function slownessOfMachine() {
    const times = Array.from({ length: 3 }, () => {
        const begin = performance.now();
        spawnSync(process.execPath, ["-e", 'require("typescript")']);
        return performance.now() - begin;
    });
    const [, median] = times.sort((one, other) => one - other);
    return Math.max(1, Math.round(median / USUAL_MS));
}
