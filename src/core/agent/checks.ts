import { messageOf } from "../../base/system-error.js";
import { isFields } from "../../base/fields.js";
import { NorthError } from "../../base/north-error.js";
import type { Once } from "../../base/once.js";
import { untilAborted, withTimeLimit } from "../../base/waiting.js";
import type {
    ChangeSet,
    Check,
    CheckContext,
    CheckedCall,
    Finding,
    ToolResult,
    WatchedEvent,
} from "../../plugin/index.js";
import type { ContainedRuns } from "../approval/contained-runs.js";
import type { Log } from "../log.js";
import type { Owned } from "../registry/registry.js";

const DEFAULT_LIMIT_MS = 5_000;
const MAX_LIMIT_MS = 600_000;
const MAX_TEXT_CHARACTERS = 10_000;
const MAX_FINDINGS = 20;
const MAX_CONTINUATIONS = 3;
const SEVERITIES: readonly unknown[] = ["error", "warning", "info"];

interface CheckVerdict {
    readonly deny?: string;
    /** Why the user must be asked, even if approval is automatic. */
    readonly ask?: string;
    readonly notes: readonly string[];
}

/** `contained`: where North's own checks run commands. */
export type OwnCheckContext = CheckContext & { readonly contained?: ContainedRuns };

interface ChecksOptions {
    readonly checks: readonly Owned<Check>[];
    readonly context: Omit<OwnCheckContext, "signal">;
    readonly signal: AbortSignal;
    readonly log: Log;
    /** Max times checks may continue a turn; defaults to 3. */
    readonly maxContinuations?: number | undefined;
    /** The session's: each failure is reported once. */
    readonly once: Once;
}

/** The checks of one turn. A failing check never ends the turn. */
export class Checks {
    constructor(
        private readonly options: ChecksOptions,
        private readonly state = { problems: [] as string[], continuations: 0, stop: "" }
    ) {}

    /** The same checks of the same turn, for a run that works somewhere else. */
    in({ workspace, contained }: Pick<OwnCheckContext, "workspace" | "contained">): Checks {
        const context = { ...this.options.context, workspace, contained };
        return new Checks({ ...this.options, context }, this.state);
    }

    /** Takes the problems and notices since the last call, one line each. */
    takeProblems(): readonly string[] {
        return this.state.problems.splice(0);
    }

    get isStopped(): boolean {
        return this.state.stop !== "";
    }

    /** Throws `stopped-by-check` once a check has ended the turn. */
    throwIfStopped(): void {
        if (!this.isStopped) return;
        throw new NorthError("stopped-by-check", `The turn was stopped. ${this.state.stop}`);
    }

    beforeMessage(text: string): Promise<CheckVerdict> {
        return this.verdict("beforeMessage", text);
    }

    beforeCall(call: CheckedCall): Promise<CheckVerdict> {
        return this.verdict("beforeCall", call);
    }

    async afterCall(call: CheckedCall, result: ToolResult): Promise<readonly string[]> {
        return (await this.verdict("afterCall", { ...call, result })).notes;
    }

    /** Only a question to the user can be refused; for all else the reason is a notice. */
    async onEvent(event: WatchedEvent): Promise<CheckVerdict> {
        const verdict = await this.verdict("onEvent", event);
        if (verdict.deny === undefined || event.type === "permission-asked") return verdict;
        this.state.problems.push(verdict.deny);
        return { notes: verdict.notes };
    }

    async onProposal(changeSet: ChangeSet): Promise<readonly Finding[]> {
        const answers = await this.ask("onProposal", changeSet);
        return answers.flatMap(({ answer }) => {
            const findings: readonly unknown[] = Array.isArray(answer) ? answer : [];
            return findings.slice(0, MAX_FINDINGS).filter(isFinding).map(truncateFinding);
        });
    }

    /** What the model should continue with, and notes for the user. */
    async afterTurn(text: string): Promise<{ readonly next: string; readonly notes: string[] }> {
        const answers = await this.ask("afterTurn", text);
        const texts = (field: string) => answers.flatMap(({ answer }) => textsIn(answer, field));
        const { maxContinuations = MAX_CONTINUATIONS } = this.options;
        const next = this.state.continuations < maxContinuations ? texts("continueWith") : [];
        if (next.length > 0) this.state.continuations += 1;
        const notes = answers.flatMap(({ name, answer }) => {
            const [first] = next.length > 0 ? textsIn(answer, "continueWith") : [];
            const own = textsIn(answer, "note");
            if (own.length > 0 || first === undefined) return own;
            return [`${name}: the model continues: ${first.split("\n")[0]}`];
        });
        return { next: next.join("\n\n"), notes };
    }

    private async verdict<Name extends Method>(
        method: Name,
        subject: Subject<Name>
    ): Promise<CheckVerdict> {
        const answers = await this.ask(method, subject);
        const reasons = (field: "deny" | "ask" | "notice" | "stop") =>
            answers.flatMap(({ name, answer }) =>
                textsIn(answer, field).map((reason) => `${name}: ${reason}`)
            );
        this.state.problems.push(...reasons("notice"));
        this.state.stop ||= reasons("stop").join("\n");
        const [deny, ask] = [reasons("deny").join("\n"), reasons("ask").join("\n")];
        const notes = answers.flatMap(({ answer }) => textsIn(answer, "note"));
        return { ...(deny !== "" && { deny }), ...(ask !== "" && { ask }), notes };
    }

    private ask<Name extends Method>(method: Name, subject: Subject<Name>) {
        const checks = this.options.checks.filter(({ value }) => value[method]);
        return Promise.all(
            checks.map(async (owned) => ({
                name: owned.value.name,
                answer: await this.answerOf(owned, method, subject),
            }))
        );
    }

    private async answerOf(owned: Owned<Check>, method: Method, subject: unknown) {
        const { context, signal } = this.options;
        const { timeLimitMs = DEFAULT_LIMIT_MS, [method]: hook } = owned.value;
        try {
            return await withTimeLimit(
                Math.min(timeLimitMs, MAX_LIMIT_MS),
                (limit) => {
                    const given = [subject, { ...context, signal: limit }];
                    const answer = hook && Reflect.apply(hook, owned.value, given);
                    return untilAborted(Promise.resolve(answer), limit);
                },
                { signal }
            );
        } catch (error) {
            signal.throwIfAborted();
            this.fail(owned, error);
            return undefined;
        }
    }

    private fail({ plugin, value: { name } }: Owned<Check>, error: unknown): void {
        const { log, once } = this.options;
        const [reason = ""] = messageOf(error).split("\n");
        log.event("error", "check_failed", { plugin, check: name, reason });
        const problem = `The check ${name} (${plugin}) failed and was ignored: ${reason}`;
        if (once.first(problem)) this.state.problems.push(problem);
    }
}

type Method = Exclude<keyof Check, "name" | "timeLimitMs">;
type Subject<Name extends Method> = Parameters<NonNullable<Check[Name]>>[0];

function textsIn(answer: unknown, field: string): string[] {
    const text = isFields(answer) ? answer[field] : undefined;
    return typeof text === "string" && text.trim() !== ""
        ? [text.slice(0, MAX_TEXT_CHARACTERS)]
        : [];
}

function isFinding(value: unknown): value is Finding {
    if (!isFields(value)) return false;
    const { path, line = 1, severity, text } = value;
    const isPlace = typeof path === "string" && Number.isInteger(line);
    return isPlace && typeof text === "string" && SEVERITIES.includes(severity);
}

function truncateFinding(finding: Finding): Finding {
    return { ...finding, text: finding.text.replace(/\s+/g, " ").slice(0, 500) };
}
