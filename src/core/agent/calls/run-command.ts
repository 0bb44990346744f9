import type { Mode, ShellTool, ToolResult } from "../../../plugin/index.js";
import { onlyReads } from "../../../plugin/modes.js";
import { gitLine } from "../../../plugin/git-changes.js";
import { type HostAccess, trafficText } from "../../../base/host-traffic.js";
import { NorthError } from "../../../base/north-error.js";
import { untilAborted } from "../../../base/waiting.js";
import type { Decision, RequestOf } from "../../approval/approver.js";
import { lapseReason } from "../../approval/changes.js";
import {
    type ContainedOutputs,
    type ContainedRuns,
    containsFirst,
} from "../../approval/contained-runs.js";
import { failure } from "../failure.js";
import type { Turn } from "../turn.js";
import {
    authorize,
    denied,
    judgeCall,
    type Judgement,
    recordDecision,
    type Settlement,
} from "./authorize.js";
import {
    executeContained,
    type ExecuteTool,
    keptResult,
    type RanContained,
    trialOf,
} from "./contained-result.js";
import { onKnownTree } from "./on-known-tree.js";
import { networkAccess } from "./network-access.js";
import { type ResolvedCommand, runForReal, withFolder } from "./run-for-real.js";
import { NOBODY_TO_ASK } from "./relay.js";
import { reviewDraft } from "./review-draft.js";
import type { RunningCall } from "./running-call.js";
import { type ContainedCall, settleContained } from "./settle-contained.js";

/** A call of a shell tool, and what permissions say about its command. */
interface CommandCall extends ContainedCall {
    readonly plan: ResolvedCommand;
    /** The hosts it may reach, if it is known to want any. */
    readonly hosts: HostAccess | undefined;
    readonly execute: ExecuteTool;
}

/** How a command fared that may not run for real yet. */
type ContainedAttempt =
    | { readonly kind: "settled"; readonly result: ToolResult }
    /** What it needs, if known, and its contained run, if it had one. */
    | { readonly kind: "real"; readonly needs?: string | undefined; readonly ran?: RanContained };

/** Runs a tool's command, contained unless it is allowed to run for real. */
export async function runCommand(
    tool: ShellTool,
    running: RunningCall,
    execute: ExecuteTool
): Promise<ToolResult> {
    const given = tool.command(running.call.input);
    if (given.background && running.turn.settings.isNested) return noJobs();
    const held: ContainedOutputs[] = [];
    try {
        return await onKnownTree(running, given, execute, (observed) =>
            runHolding(tool, running, observed, held)
        );
    } finally {
        for (const outputs of held) await outputs.release();
    }
}

/** `held` gets the outputs of each contained run. */
async function runHolding(
    tool: ShellTool,
    running: RunningCall,
    execute: ExecuteTool,
    held: ContainedOutputs[]
): Promise<ToolResult> {
    const { turn, call } = running;
    const { callId } = call;
    const given = tool.command(call.input);
    const { command } = given;
    const plan = { ...given, folder: await turn.project.shell.resolve(given.cwd) };
    const forecast = await untilAborted(turn.project.forecast(command, plan.folder), turn.signal);
    const unseenFiles = draftedFiles(turn);
    // Nobody allowed a command for files that it does not see.
    const mustAsk = turn.project.contained?.mode === "required" || unseenFiles > 0;
    const plain = { kind: "shell", callId, command, cwd: plan.folder } as const;
    const request = { ...plain, consequences: forecast.consequences, ...(mustAsk && { mustAsk }) };
    const judged = await judgeCall(turn, request);
    const isReading = onlyReads(turn.settings.mode);
    // Where no permission counts anyway, nothing has lapsed.
    const canCount = !isReading && !mustAsk;
    const lapsed = canCount && judged.changedFiles ? lapseReason(judged.changedFiles) : undefined;
    // In a draft even an allowed command must not write to the project itself.
    const isAllowed = turn.settings.mode === "agent" && judged.verdict === "allow";
    const runs = isAllowed ? undefined : await availableRuns(running, held);
    const network = plan.network ? "It needs the network" : forecast.network;
    const wantsHosts = runs?.reachesHosts === true && network !== undefined;
    const hosts = wantsHosts ? networkAccess(running, command) : undefined;
    const own = { running, plan, judged, lapsed, hosts, execute };
    const lacked = hosts ? undefined : network;
    const known = plan.background ? "Runs in the background as a job" : (forecast.needs ?? lacked);
    const attempt = runs ? await tryContained(own, runs, known) : REAL;
    if (attempt.kind === "settled") return withFolder(turn, attempt.result);
    const { needs } = attempt;
    let { ran } = attempt;
    if (isReading) return readingResult(turn.settings.mode, needs, ran);
    const set = await turn.project.contained?.setVariables?.();
    const trials = plan.background ? undefined : runs;
    const asked: RequestOf<"shell"> = {
        ...request,
        ...(needs !== undefined && { needs }),
        ...(plan.real !== undefined && !isAllowed && { wanted: plan.real }),
        ...(ran && { tried: await trialOf(ran.contained) }),
        ...(trials && {
            tryContained: async () => {
                ran = await runTrial(own, trials);
                return trialOf(ran.contained);
            },
        }),
        ...(lapsed !== undefined && { lapsed }),
        ...(set && { variables: set.shown }),
        ...(unseenFiles > 0 && { unseenFiles }),
    };
    const decision = await authorizeReal(running, asked, judged);
    if (decision.kind === "approve") {
        // Automatic, so nobody saw what it may change.
        const isUnseen = decision.decidedBy === "policy" && judged.changedFiles !== 0;
        if (isUnseen) await turn.project.grants.changes.add(undefined);
        // Security: what contained commands set counts only if someone saw it.
        const shell = (decision.decidedBy === "user" && set?.shell) || turn.project.shell;
        return runForReal(running, { shell, plan, forecast, execute });
    }
    if (trials && !ran && isUnasked(decision)) {
        const tried = await runContained(own, trials);
        if (tried.kind === "settled") return withFolder(turn, tried.result);
        if (tried.kind === "ran") ran = tried;
    }
    if (ran && decision.kind === "contained") return withFolder(turn, await take(own, ran));
    return notRunForReal(decision, { needs, lapsed }, ran);
}

/** A sub-agent could neither read nor stop a job, and the job would outlive it. */
function noJobs(): ToolResult {
    const hint = "Run it without `background`, in one command with what needs it.";
    return failure("no-jobs", "There are no background jobs here.", hint);
}

/**
 * Asks about a real run. In a draft the user may want that applied first: a yes to all of it is one
 * to the run too, anything else asks again.
 */
async function authorizeReal(
    { turn, outlet }: Pick<RunningCall, "turn" | "outlet">,
    request: RequestOf<"shell">,
    judged: Judgement
): Promise<Settlement> {
    const decision = await authorize(turn, request, outlet, judged);
    if (decision.kind !== "draft-first") return decision;
    const review = await reviewDraft(turn, outlet);
    if (review.kind === "other") {
        const again = { ...request, unseenFiles: draftedFiles(turn) };
        return authorizeReal({ turn, outlet }, again, judged);
    }
    const settled =
        review.kind === "resolve"
            ? ({ kind: "deny", reason: review.told } as const)
            : ({ kind: "approve" } as const);
    recordDecision(turn, request, settled, "user", outlet);
    return { ...settled, decidedBy: "user" };
}

function draftedFiles({ project, conversation }: Pick<Turn, "project" | "conversation">): number {
    return project.draft ? conversation.state.draft.view.size : 0;
}

const REAL: ContainedAttempt = { kind: "real" };

type Runs = Pick<ContainedRuns, "run" | "reachesHosts">;

/** Where commands run contained; `undefined` if they cannot. */
async function availableRuns(
    { turn, outlet }: RunningCall,
    held: ContainedOutputs[]
): Promise<Runs | undefined> {
    const runs = turn.project.contained;
    const isOn = runs !== undefined && containsFirst(runs.mode);
    const notice = isOn ? await runs.notice() : undefined;
    if (notice !== undefined) outlet.emit({ type: "notice", text: notice });
    if (!isOn || (await runs.unavailable()) !== undefined) {
        const isNews = turn.project.draft && turn.session.once.first(NOT_IN_DRAFT);
        if (isNews) outlet.emit({ type: "notice", text: NOT_IN_DRAFT });
        return undefined;
    }
    const holdsOutputs = turn.settings.mode === "agent";
    return {
        reachesHosts: runs.reachesHosts ?? false,
        async run(command, folder, options) {
            const ran = await runs.run(command, folder, { ...options, holdsOutputs });
            held.push(ran.outputs);
            return ran;
        },
    };
}

const NOT_IN_DRAFT =
    "Commands cannot run contained here, so they do not see the draft, and North asks before each.";

/**
 * Runs a command contained and reviews its changes like an edit. One that is known to fail, or that
 * failed before, is asked about at once, where a real run is possible.
 */
async function tryContained(
    own: CommandCall,
    runs: Runs,
    known: string | undefined
): Promise<ContainedAttempt> {
    const { plan, running } = own;
    const mayBeReal = !onlyReads(running.turn.settings.mode);
    const isHopeless = known !== undefined || plan.real !== undefined;
    if (plan.background || (mayBeReal && isHopeless)) return { kind: "real", needs: known };
    const tried = await runWithHosts(own, runs);
    if (tried.kind === "settled") return tried;
    if (tried.kind === "failed") return { kind: "real", needs: tried.reason.replace(/\.$/, "") };
    const { outcome, repository } = tried.contained;
    // A commit of drafted files is not a commit of the project's files.
    const commits = running.turn.project.draft && repository?.onlyStages === false;
    const drafted = commits ? "Changes the git repository" : known;
    const otherwise = outcome.exitCode === 0 && drafted === known ? undefined : drafted;
    const { needs = otherwise } = tried.contained;
    if (needs !== undefined) return { kind: "real", needs, ran: tried };
    return { kind: "settled", result: await settleContained(own, tried) };
}

/** Runs it again with hosts if it turns out to want the network. */
async function runWithHosts(own: CommandCall, runs: Runs) {
    const tried = await runContained(own, runs);
    const { hosts, running, plan } = own;
    const lacksNetwork = tried.kind === "ran" && tried.contained.lacksNetwork === true;
    if (!lacksNetwork || hosts !== undefined || !runs.reachesHosts) return tried;
    return runContained({ ...own, hosts: networkAccess(running, plan.command) }, runs);
}

async function runContained({ plan, running: { turn }, hosts, execute }: CommandCall, runs: Runs) {
    const { command, folder } = plan;
    turn.log.event("info", "contained_run_start", { command });
    const { shell } = turn.project;
    const tried = await executeContained(runs, { command, folder, shell, hosts }, execute);
    if (tried.kind !== "ran") return tried;
    const { needs, effects, outcome, outputs, traffic, repository } = tried.contained;
    turn.log.event("info", "contained_run_complete", {
        command,
        exitCode: outcome.exitCode,
        changes: effects.length,
        outputs: outputs.paths.length,
        ...(repository && { git: repository.shown.changes.map(gitLine) }),
        needs,
        ...(traffic && { traffic: trafficText(traffic) }),
    });
    return tried;
}

/** Not for a job, which does not end by itself. Rejects if nothing ran. */
async function runTrial(
    { plan: { command, folder }, running: { turn }, execute }: CommandCall,
    runs: Runs
): Promise<RanContained> {
    const { shell } = turn.project;
    const plan = { command, folder, shell, isQuiet: true };
    const tried = await executeContained(runs, plan, execute);
    if (tried.kind === "ran") return tried;
    const reason = tried.kind === "failed" ? tried.reason : "The command ended before it ran.";
    throw new NorthError("containment-failed", reason);
}

/** The user takes the contained result instead of a real run. */
async function take(own: CommandCall, ran: RanContained): Promise<ToolResult> {
    const { lapsed } = own;
    const { contained } = ran;
    const taken = { message: "The user took the contained result instead of a real run." };
    if (contained.needs !== undefined && !contained.isWhole) {
        return keptResult(ran, taken, { lapsed });
    }
    return settleContained(own, {
        ...ran,
        contained: { ...contained, notes: [...contained.notes, taken.message] },
    });
}

function isUnasked(decision: Decision): boolean {
    return decision.kind === "deny" && decision.reason === NOBODY_TO_ASK;
}

/** What the model gets after a denial: what a contained run printed, else why nothing ran. */
function notRunForReal(
    decision: Decision,
    { needs, lapsed }: Pick<RequestOf<"shell">, "needs"> & Pick<CommandCall, "lapsed">,
    ran: RanContained | undefined
): ToolResult {
    if (ran) {
        const said = "The user denied the real run.";
        const { error } = denied(decision, said, "denied", "Not approved");
        const isUnanswered = isUnasked(decision);
        const message = isUnanswered
            ? `${error.message} This is its contained run.`
            : error.message;
        return keptResult(ran, { ...error, message }, { needs, lapsed });
    }
    const { error } = denied(decision, "The user denied the command; it was not run.");
    const reasons = [
        needs !== undefined && `${needs}.`,
        lapsed !== undefined && `Its permission lapsed: ${lapsed}.`,
        error.hint,
    ];
    return failure(error.code, error.message, reasons.filter(Boolean).join(" "));
}

/** In a mode that only reads, nothing runs for real. */
function readingResult(mode: Mode, needs: string | undefined, ran: RanContained | undefined) {
    const message = `In ${mode} mode a command runs only contained.`;
    if (ran) return keptResult(ran, { message }, { needs });
    const why = needs ?? "Here they do not run contained";
    return failure(
        "not-in-this-mode",
        `${message} ${why}.`,
        "Continue without it, or ask the user to switch to agent mode."
    );
}
