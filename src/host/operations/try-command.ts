import { containsFirst } from "../../core/approval/contained-runs.js";
import path from "node:path";
import { lapseReason } from "../../core/approval/changes.js";
import { grantsIn, isSameCommand, judge } from "../../core/approval/policy.js";
import { containmentIn, readConfig } from "../../storage/config.js";
import type { NorthDirectories } from "../../storage/files/directories.js";
import { openStores } from "../stores/open-stores.js";
import { forecastCommand } from "../effects/forecast-command.js";
import { warn } from "../warn.js";

type TriedCommand = Awaited<ReturnType<typeof tryCommand>>;

/** Predicts how the chat would treat a command, without running it. */
export async function tryCommand(
    { data: dataFolder, config }: NorthDirectories,
    command: string,
    { folder, cwd }: { readonly folder: string; readonly cwd: string }
) {
    const stores = await openStores(dataFolder, folder, { report: warn });
    const { root, isRepository, grants } = stores;
    const location = path.resolve(root, cwd);
    const relative = path.relative(root, location);
    const forecast = await forecastCommand(command, { root, cwd: location, isRepository });
    const { consequences, needs } = forecast;
    const snapshot = await grants.snapshot();
    const isListed = snapshot.allowedCommands.some(isSameCommand(command, relative));
    const since = isListed ? await grants.allowedSince({ command, cwd: relative }) : undefined;
    const changed = isListed ? await grants.changes.filesSince(since) : 0;
    const permissions = changed === 0 ? snapshot : { ...snapshot, allowedCommands: [] };
    const { mode } = containmentIn(await readConfig(config));
    const mustAsk = mode === "required";
    const asked = { kind: "shell", callId: "", command, cwd: location, consequences } as const;
    const run = { acceptEdits: false, approveShell: false };
    const granted = grantsIn(mode, permissions);
    const isAllowed = judge({ ...asked, mustAsk }, granted, run, relative) === "allow";
    const isContained = containsFirst(mode) && needs === undefined;
    const verdict: keyof typeof VERDICTS = isAllowed ? "allow" : isContained ? "contain" : "ask";
    return {
        command,
        cwd: relative,
        verdict,
        /** Why its permission does not count. */
        lapsed: changed === 0 || mustAsk ? undefined : lapseReason(changed),
        /** Why it would not run contained. */
        needs,
        consequences,
    };
}

const VERDICTS = {
    allow: "Runs without asking.",
    contain: "Runs contained if this machine can. North asks only about its changes.",
    ask: "Asks before it runs.",
};

export function triedText({ verdict, lapsed, needs, consequences }: TriedCommand): string {
    const why = verdict === "ask" && needs !== undefined ? ` ${needs}.` : "";
    return [
        VERDICTS[verdict] + why,
        ...(lapsed === undefined ? [] : [`It is allowed, but ${lapsed}.`]),
        ...consequences.map((each) => `  ${each}`),
    ].join("\n");
}
