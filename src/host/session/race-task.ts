import { packageRoot } from "../../base/package-root.js";
import type { FinishedRace, RaceOptions } from "../../plugin/index.js";
import { valuesOf } from "../../core/registry/registry.js";
import { requestedModel } from "../models/choose-model.js";
import { race } from "../tasks/race.js";
import { raceSentence, raceTable, reviewWinner } from "../tasks/race-report.js";
import type { HostSession } from "./session.js";

/** Runs a task several times beside the session, whose costs include theirs. */
export async function raceTask(
    session: HostSession,
    { models: given = [], times = 1, until, progress, ...options }: RaceOptions
): Promise<FinishedRace> {
    const { project } = session.options;
    const providers = valuesOf(project.registry.providers);
    // Before any of the others is paid.
    for (const model of given) requestedModel(model, providers);
    const models = given.length > 0 ? given : [session.model.model.id];
    const place = { dataFolder: project.directories.data, folder: project.root };
    const end = await race({
        ...{ maxCostUsd: undefined, ...options, ...place, models, times },
        flags: { until, contain: project.contained.mode },
        program: packageRoot(),
        environment: process.env,
        onChange: (runs) => progress(raceTable(runs)),
        onEnd: ({ costUsd }) => session.count(costUsd),
    });
    return {
        text: `${raceTable(end.runs)}\n${raceSentence(end)}`,
        async review({ confirmChanges: confirm, print: log }) {
            await reviewWinner(end, { ...place, confirm, log });
        },
    };
}
