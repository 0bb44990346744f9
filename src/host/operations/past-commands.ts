import { northCommand } from "../../base/north-command.js";
import { containsFirst } from "../../core/approval/contained-runs.js";
import { LINES_WITHOUT_CHANGES } from "../../core/history/applied-changes.js";
import type { ReviewEntry } from "../../plugin/records.js";
import { projectLogs } from "./project-changes.js";
import path from "node:path";
import { counted } from "../../base/format.js";
import { lapseReason } from "../../core/approval/changes.js";
import { grantsIn, isSameCommand, judge } from "../../core/approval/policy.js";
import { containmentIn, readConfig } from "../../storage/config.js";
import type { NorthDirectories } from "../../storage/files/directories.js";
import { folderIn } from "./allowlist.js";
import { openStores } from "../open-stores.js";
import { forecastCommand } from "../effects/forecast-command.js";
import { table } from "../table.js";
import { warn } from "../warn.js";

/** Past decisions about running a command for real, across a project's conversations. */
interface PastCommand {
    readonly command: string;
    /** Single approvals by hand. */
    readonly approved: number;
    readonly automatic: number;
    readonly denied: number;
    readonly lastAt: number;
}

/** Most recently decided first. Warns of logs that it could not read. */
async function pastCommands(dataFolder: string, root: string): Promise<readonly PastCommand[]> {
    const known = new Map<string, PastCommand>();
    for await (const { records, warnings } of projectLogs(
        dataFolder,
        root,
        LINES_WITHOUT_CHANGES
    )) {
        warnings.forEach(warn);
        for (const record of records) {
            if (record.type !== "entry_added" || record.entry.kind !== "review") continue;
            const { entry } = record;
            if (entry.subject === "shell") {
                known.set(entry.what, tallied(known.get(entry.what), entry));
            }
        }
    }
    return [...known.values()].sort((one, other) => other.lastAt - one.lastAt);
}

function tallied(past: PastCommand | undefined, entry: ReviewEntry): PastCommand {
    const { what: command, status, decidedBy, at } = entry;
    const { approved = 0, automatic = 0, denied = 0, lastAt = 0 } = past ?? {};
    const isDenied = status === "denied" || status === "contained";
    const isByHand = !isDenied && decidedBy === "user";
    return {
        command,
        approved: approved + (isByHand ? 1 : 0),
        automatic: automatic + (!isDenied && !isByHand ? 1 : 0),
        denied: denied + (isDenied ? 1 : 0),
        lastAt: Math.max(lastAt, at),
    };
}

/** Approvals by hand before a command is suggested. */
const OFTEN = 3;

/** Commands that were often approved by hand and still ask. */
export async function suggestedCommands(
    dataFolder: string,
    folder: string
): Promise<readonly PastCommand[]> {
    const { root, grants } = await openStores(dataFolder, folder, { report: warn });
    const { allowedCommands } = await grants.snapshot();
    const listed = new Set(allowedCommands.map(({ command }) => command));
    return (await pastCommands(dataFolder, root))
        .filter(({ command, approved }) => approved >= OFTEN && !listed.has(command))
        .sort((one, other) => other.approved - one.approved);
}

export function suggestionsText(commands: readonly PastCommand[]): string {
    if (commands.length === 0) return `No command was approved by hand ${OFTEN} times or more.`;
    const rows = commands.map(({ command, approved }) => [String(approved), command]);
    return `${table([{ right: "Approved" }, "Command"], rows)}\n\`${northCommand()} allowlist add "COMMAND"\` allows one; \`--cwd DIR\` allows it in a folder other than the root.`;
}

type TriedCommand = Awaited<ReturnType<typeof tryCommand>>;

/** Predicts how the chat would treat a command, without running it. */
export async function tryCommand(
    { data: dataFolder, config }: NorthDirectories,
    command: string,
    { folder, cwd }: { readonly folder: string; readonly cwd: string }
) {
    const stores = await openStores(dataFolder, folder, { report: warn });
    const { root, isRepository, grants } = stores;
    const relative = folderIn(root, cwd);
    const location = path.join(root, relative);
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
    const known = (await pastCommands(dataFolder, root)).find((past) => past.command === command);
    const { approved = 0, automatic = 0, denied = 0, lastAt = 0 } = known ?? {};
    return {
        command,
        cwd: relative,
        verdict,
        /** Why its permission does not count. */
        lapsed: changed === 0 || mustAsk ? undefined : lapseReason(changed),
        /** Why it would not run contained. */
        needs,
        consequences,
        past: { approved, automatic, denied, lastAt },
    };
}

const VERDICTS = {
    allow: "Runs without asking.",
    contain: "Runs contained if this machine can. North asks only about its changes.",
    ask: "Asks before it runs.",
};

export function triedText({ verdict, lapsed, needs, consequences, past }: TriedCommand): string {
    const why = verdict === "ask" && needs !== undefined ? ` ${needs}.` : "";
    return [
        VERDICTS[verdict] + why,
        ...(lapsed === undefined ? [] : [`It is allowed, but ${lapsed}.`]),
        ...consequences.map((each) => `  ${each}`),
        past.approved + past.automatic + past.denied === 0
            ? "Never approved or denied so far."
            : `So far: approved ${counted(past.approved, "time")} by hand, ${past.automatic} automatically, denied ${past.denied}.`,
    ].join("\n");
}
