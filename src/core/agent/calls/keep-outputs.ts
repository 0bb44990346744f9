import { outputLine } from "../../../plugin/outputs.js";
import type { Output } from "../../../plugin/index.js";
import type { ChangeRange } from "../../approval/changes.js";
import type { ContainedOutputs } from "../../approval/contained-runs.js";
import type { Turn } from "../turn.js";
import type { Outlet } from "./relay.js";

/**
 * The keys that allow a command, run in one folder, to leave outputs in these places, always. Quoted,
 * since the model chooses all three. None for a folder outside of the project.
 */
export function outputKeysOf(
    command: string,
    folder: string | undefined,
    outputs: readonly Output[]
): readonly string[] {
    if (folder === undefined) return [];
    const from = `from ${JSON.stringify(command)} in ${JSON.stringify(folder)}`;
    return outputs.map(({ path }) => `keep ${JSON.stringify(path)} ${from}`);
}

/**
 * Moves outputs into the project; a draft has them already. Like any change they end what was
 * allowed before: an allowed command may run them. Returns the points around that.
 */
export async function keepOutputs(
    { project: { grants, draft }, log }: Turn,
    outputs: ContainedOutputs,
    outlet: Outlet
): Promise<ChangeRange | undefined> {
    if (draft) return undefined;
    const { paths } = outputs;
    const range = paths.length > 0 ? await grants.changes.add(paths) : undefined;
    log.event("info", "outputs_keep", { files: paths.length });
    for (const text of await outputs.keep()) outlet.emit({ type: "notice", text });
    return range;
}

/** For the result: what was kept, or that it was not. */
export function outputFacts(outputs: ContainedOutputs, fate: "kept" | "discarded") {
    const { asked, kept, discarded } = outputs;
    const isKept = fate === "kept";
    const lines = asked.map(outputLine);
    const caches = [...kept, ...discarded].reduce((sum, { files }) => sum + files, 0);
    return {
        fields: {
            ...(isKept && lines.length > 0 && { outputs: lines }),
            ...(caches > 0 && { cacheFiles: caches }),
        },
        notes: isKept || lines.length === 0 ? [] : [`Discarded, ignored: ${lines.join(", ")}.`],
    };
}
