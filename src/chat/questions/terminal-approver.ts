import path from "node:path";

import type { ApprovalRequest, Approver, Decision } from "../../core/approval/approver.js";
import type { AllowedCommand } from "../../plugin/index.js";
import { safeLine, showControls } from "../terminal/safe-text.js";
import { reviewChange, type ReviewPlace } from "./change-review.js";
import { consequencesOf } from "./consequences.js";
import { askKey, CANCELLED } from "./key-question.js";
import { askLine } from "./line-question.js";
import { whyUnlisted } from "./unlisted.js";

/** What the approver needs to ask and to stop. */
export interface TerminalApproverOptions extends ReviewPlace {
    /** The repository root: folders are shown relative to it. */
    readonly root: string;
    allowedCommands(): Promise<readonly AllowedCommand[]>;
    /** Told that somebody is waited for. */
    notify?(): void;
    /** Ctrl+C or Escape denies, and stops the turn. */
    cancelTurn(): void;
}

type RequestOf<Kind extends ApprovalRequest["kind"]> = Extract<ApprovalRequest, { kind: Kind }>;

const APPROVE: Decision = { kind: "approve" };
const ALWAYS: Decision = { kind: "approve", remember: "always" };
const DENY: Decision = { kind: "deny" };

/** Asks the person at the terminal, one key each. */
export function createTerminalApprover(options: TerminalApproverOptions): Approver {
    let changed: string | undefined;
    return {
        async decide(request, signal) {
            if (signal.aborted) return DENY;
            options.notify?.();
            const isChanged = request.callId === changed;
            const decision = await ask(request, { ...options, isChanged }, signal);
            const isModified = decision !== CANCELLED && decision.kind === "modify";
            changed = isModified ? request.callId : undefined;
            if (decision !== CANCELLED) return decision;
            if (!signal.aborted) options.cancelTurn();
            return DENY;
        },
    };
}

/** `isChanged`: what is shown is what the user has made of a proposal. */
type AskingPlace = TerminalApproverOptions & { readonly isChanged: boolean };
type Answer = Decision | typeof CANCELLED;

function ask(request: ApprovalRequest, options: AskingPlace, signal: AbortSignal): Promise<Answer> {
    switch (request.kind) {
        case "write":
            return askWrite(request, options, signal);
        case "shell":
            return askShell(request, options, signal);
        case "ask":
            return askQuestion(request, options, signal);
        default:
            return request satisfies never;
    }
}

async function askWrite(
    request: RequestOf<"write">,
    place: AskingPlace,
    signal: AbortSignal
): Promise<Answer> {
    const answer = await reviewChange(request, place, signal);
    if (answer.kind === "decision") return answer.decision;
    if (answer.key === CANCELLED) return CANCELLED;
    if (answer.key === "a") return APPROVE;
    return answer.key === "y" ? ALWAYS : deny(place, signal);
}

async function askShell(
    { command, cwd }: RequestOf<"shell">,
    place: TerminalApproverOptions,
    signal: AbortSignal
): Promise<Answer> {
    const { theme } = place.terminal;
    const relative = path.relative(place.root, cwd);
    const isOutside = relative === ".." || relative.startsWith(`..${path.sep}`);
    const name = relative === "" ? "the project folder" : showControls(relative);
    const lines = showControls(command).split("\n");
    const allowed = await place.allowedCommands().catch(() => []);
    const why = whyUnlisted(command, isOutside ? undefined : relative, allowed);
    const consequences = consequencesOf(command);
    const { view } = place;
    view.print(`\n${theme.question("?")} Run in ${name}:`);
    // What is approved is shown as it will run: cut nowhere.
    view.printVerbatim(lines.map((line) => `    ${theme.strong(line)}`));
    if (consequences !== undefined) view.print(theme.warning(`  ! ${consequences}`));
    view.print(theme.quiet(`  ${showControls(why)}`));
    const key = await askKey(place, isOutside ? OUTSIDE_CHOICES : SHELL_CHOICES, signal);
    if (key === CANCELLED) return CANCELLED;
    if (key === "d") return deny(place, signal);
    if (key === "a") return ALWAYS;
    return key === "y" ? { kind: "approve", remember: "all" } : APPROVE;
}

async function askQuestion(
    request: RequestOf<"ask">,
    place: TerminalApproverOptions,
    signal: AbortSignal
): Promise<Answer> {
    const { theme } = place.terminal;
    const sentence = showControls(request.question.sentence).replaceAll("\n", " ");
    place.view.print(`\n${theme.question("?")} ${sentence}`);
    const key = await askKey(place, request.isOnce ? YES_OR_NO : QUESTION_CHOICES, signal);
    if (key === CANCELLED) return CANCELLED;
    if (key === "n") return DENY;
    if (key === "d") return deny(place, signal);
    return key === "a" ? ALWAYS : APPROVE;
}

/** A denial, with the reason the user may give to the model. */
async function deny(place: TerminalApproverOptions, signal: AbortSignal): Promise<Answer> {
    const reason = await askLine(place, "Reason (Enter for none):", signal);
    if (reason === undefined) return CANCELLED;
    if (reason === "") return DENY;
    place.view.print(place.terminal.theme.quiet(`  Reason: ${safeLine(reason)}`));
    return { kind: "deny", reason };
}

const SHELL_CHOICES = [
    { key: "r", label: "run" },
    { key: "a", label: "always run this" },
    { key: "y", label: "approve all commands" },
    { key: "d", label: "deny" },
] as const;

// What is allowed for good is allowed in a folder of the project.
const OUTSIDE_CHOICES = SHELL_CHOICES.filter(({ key }) => key !== "a");

const YES_OR_NO = [
    { key: "y", label: "yes" },
    { key: "n", label: "no" },
] as const;

const QUESTION_CHOICES = [
    { key: "o", label: "once" },
    { key: "a", label: "always" },
    { key: "d", label: "deny" },
] as const;
