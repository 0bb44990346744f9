import { gitLine } from "../../../plugin/git-changes.js";
import { firstOf } from "../../../base/format.js";
import type { Shell, ShellRunOptions, ToolError, ToolResult } from "../../../plugin/index.js";
import type { HostAccess } from "../../../base/host-traffic.js";
import { isExpectedError } from "../../../base/north-error.js";
import type { TrialRun } from "../../approval/approver.js";
import type { ContainedResult, ContainedRuns } from "../../approval/contained-runs.js";
import { closedShell, notApproved } from "./approved-shell.js";

export type ExecuteTool = (shell: Shell) => Promise<ToolResult>;

/** A contained run, and what the tool made of it. */
export interface RanContained {
    readonly result: ToolResult;
    readonly contained: ContainedResult;
}

type ContainedExecution =
    | ({ readonly kind: "ran" } & RanContained)
    /** The tool ran nothing. */
    | { readonly kind: "settled"; readonly result: ToolResult }
    | { readonly kind: "failed"; readonly reason: string };

interface ContainedPlan {
    readonly command: string;
    /** A real path. */
    readonly folder: string;
    readonly shell: Shell;
    /** Lets it reach hosts. */
    readonly hosts?: HostAccess | undefined;
    /** Its output is not shown while it runs. */
    readonly isQuiet?: boolean;
}

export async function executeContained(
    runs: Pick<ContainedRuns, "run">,
    { command, folder, shell, hosts, isQuiet = false }: ContainedPlan,
    execute: ExecuteTool
): Promise<ContainedExecution> {
    let contained: ContainedResult | undefined;
    const run = async (wanted: string, { onOutput, ...options }: ShellRunOptions = {}) => {
        if (wanted !== command) throw notApproved(wanted);
        contained = await runs.run(command, folder, {
            ...options,
            hosts,
            ...(onOutput && !isQuiet && { onOutput }),
        });
        return contained.outcome;
    };
    try {
        const result = await execute({ ...closedShell(shell), run });
        if (!contained || !result.ok) return { kind: "settled", result };
        const { traffic, shellChanged } = contained;
        const facts = { traffic, ...(shellChanged && { shellChanged }) };
        const shown = annotated(result, { contained: true, ...facts, notes: [] });
        return { kind: "ran", result: shown, contained };
    } catch (error) {
        if (!isExpectedError(error) || error.code !== "containment-failed") throw error;
        return { kind: "failed", reason: error.message };
    }
}

/** What a question shows of a contained run. */
export async function trialOf(contained: ContainedResult): Promise<TrialRun> {
    const { outcome, effects, needs, outputs, repository } = contained;
    const { diffsOf } = await import("../../diff/diff.js");
    const git = repository && { git: repository.shown };
    const changeSet = { changes: effects, outputs: outputs.asked, ...git };
    return { outcome, changeSet, diffs: diffsOf(changeSet), needs };
}

/** What a contained run printed, with why it counts only in part. */
export function keptResult(
    { result, contained }: RanContained,
    { message, hint }: Pick<ToolError, "message" | "hint">,
    { needs = contained.needs, lapsed }: { readonly needs?: string; readonly lapsed?: string }
): ToolResult {
    const lost = [
        ...(contained.repository?.shown.changes ?? []).map(gitLine),
        ...[...contained.effects, ...contained.outputs.asked].map(({ path }) => path),
    ];
    const notes = [
        ...contained.notes,
        ...(needs === undefined ? [] : [`${needs}.`]),
        ...(lost.length === 0 ? [] : [`Its changes were discarded: ${namesOf(lost)}.`]),
        ...[message, hint].filter((note) => note !== undefined),
    ];
    return annotated(result, { ...howRun(lapsed), notes });
}

export function howRun(lapsed: string | undefined) {
    return { contained: true, because: lapsed } as const;
}

interface ContainedFacts {
    readonly contained: true;
    readonly effects?: object;
    readonly traffic?: ContainedResult["traffic"];
    readonly shellChanged?: boolean;
    readonly notes: readonly string[];
}

/** The tool's result, annotated with what the host knows. */
export function annotated(result: ToolResult, { notes, ...facts }: ContainedFacts): ToolResult {
    if (!result.ok || typeof result.data !== "object" || result.data === null) return result;
    return { ...result, data: { ...result.data, ...facts, ...(notes.length > 0 && { notes }) } };
}

export function namesOf(all: readonly string[]): string {
    return firstOf(all, 10, " and ");
}
