import { spawnSync } from "node:child_process";

/** How long an ordinary machine takes to start Node and to load TypeScript, in milliseconds. */
const USUAL_MS = 300;

/** How many times slower than an ordinary machine this one is at what tests do most, at least 1. */
export function slownessOfMachine() {
    const first = measure();
    if (first < 2) return 1;
    const [, median] = [first, measure(), measure()].sort((one, other) => one - other);
    return Math.max(1, Math.round(median));
}

function measure() {
    const begin = performance.now();
    spawnSync(process.execPath, ["-e", 'require("typescript")']);
    return (performance.now() - begin) / USUAL_MS;
}
