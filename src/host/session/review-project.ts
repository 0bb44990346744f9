import { needsNoQuestion } from "../../core/approval/policy.js";
import path from "node:path";
import { counted, formatUsd } from "../../base/format.js";
import { NorthError } from "../../base/north-error.js";
import { isSecretFile } from "../../base/secrets/secret-files.js";
import { reportFinding } from "../../core/review/report-finding.js";
import { REVIEWER, reviewPrompt } from "../../core/review/review-prompt.js";
import { ReviewedDiff } from "../../core/review/reviewed-diff.js";
import type { NestedRun, Tool } from "../../plugin/index.js";
import {
    type ProjectReview,
    type ReviewFinding,
    type ReviewOptions,
    SEVERITIES,
} from "../../plugin/review.js";
import type { HostSession } from "./session.js";
import { runsOutsideTurns } from "./runs-outside-turns.js";
import { changesToReview } from "../review/changes-to-review.js";
import { planSuggestions } from "./plan-suggestions.js";

const MAX_REQUESTS = 60;

/**
 * Has the session's model review changes with tools that only read. `wanted`: a branch to compare
 * with, a commit or a range; absent for the uncommitted changes.
 */
export async function reviewChanges(
    session: HostSession,
    wanted: string | undefined,
    options: ReviewOptions
): Promise<ProjectReview> {
    const { signal, progress, tell, maxCostUsd } = options;
    const { project } = session.options;
    const { root } = project;
    const { target, patch } =
        options.patch === undefined
            ? await changesToReview(root, wanted, signal)
            : { target: "the patch", patch: options.patch };
    const secret: string[] = [];
    const diff = new ReviewedDiff(project.secrets.text(patch), (name) => {
        const isSecret = isSecretFile(name, path.join(root, name));
        if (isSecret) secret.push(name);
        return !isSecret;
    });
    if (secret.length > 0) tell(`Not shown to the model: ${secret.join(", ")}.`);
    const findings: ReviewFinding[] = [];
    const model = session.model.model;
    const facts = { target, files: diff.files.length, findings, model: model.id };
    const suggestions = () => planSuggestions(session, diff, findings);
    if (diff.files.length === 0) return { ...facts, summary: "", costUsd: 0, suggestions };

    const report = reportFinding(diff, (finding) => void findings.push(finding));
    const tools = toolsWith(session.tools, report);
    const id = `review-${session.conversationId}`;
    const run = await runsOutsideTurns(session, { by: "review", id, tools, signal, tell });
    progress(`Reviewing ${counted(diff.files.length, "file")}`);
    const ended = await run({
        prompt: reviewPrompt(target, diff, model.contextTokens),
        system: REVIEWER,
        tools: [...tools.values()].filter(needsNoQuestion).map(({ name }) => name),
        maxTurns: MAX_REQUESTS,
        maxCostUsd,
        onEvent: (event) => {
            if (event.type === "call") progress(event.intent);
        },
    });
    findings.sort((a, b) => orderOf(a) - orderOf(b));
    const problem = problemOf(ended);
    const { text: summary, costUsd } = ended;
    return { ...facts, summary, costUsd, suggestions, ...(problem !== undefined && { problem }) };
}

function toolsWith(tools: ReadonlyMap<string, Tool>, report: ReturnType<typeof reportFinding>) {
    if (tools.has(report.name)) {
        throw new NorthError("tool-taken", `A plugin has a tool called ${report.name}.`);
    }
    return new Map<string, Tool>([...tools, [report.name, report]]);
}

function orderOf({ severity }: ReviewFinding): number {
    return SEVERITIES.indexOf(severity);
}

function problemOf({ stopReason, problem, costUsd }: NestedRun): string | undefined {
    if (stopReason === "end" || problem !== undefined) return problem;
    if (stopReason !== "max-cost") return `The review ended early: ${stopReason}.`;
    return `The review stopped after ${formatUsd(costUsd ?? 0)} (--max-cost).`;
}
