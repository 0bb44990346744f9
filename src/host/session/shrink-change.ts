import type { PlannedShrink, ShrinkOptions } from "../../plugin/index.js";
import type { NorthDirectories } from "../../storage/files/directories.js";
import { prepareShrink, shrinkQuestion, shrunkText } from "../operations/shrink.js";
import type { ShrinkPlace } from "../operations/shrinkable-change.js";

// The defaults of `north shrink`.
const RUN_MS = 300_000;
const ALL_RUNS_MS = 1_800_000;

export async function planShrink(
    place: ShrinkPlace,
    directories: NorthDirectories,
    options: ShrinkOptions
): Promise<PlannedShrink> {
    const limits = { timeoutMs: RUN_MS, maxTimeMs: ALL_RUNS_MS };
    const request = { ...options, ...limits, directories, environment: process.env };
    const { planned, ...shrunk } = await prepareShrink(place, request);
    return { text: shrunkText(shrunk), question: shrinkQuestion(shrunk), planned };
}
