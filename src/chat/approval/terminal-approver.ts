import path from "node:path";

import type { ApprovalRequest, Approver, Decision } from "../../core/approval/approver.js";
import { safeLine, showControls } from "../terminal/safe-text.js";
import { cutLines, diffLines } from "./diff-lines.js";
import { askKey, CANCELLED, type KeyChoice, type QuestionPlace } from "./key-question.js";

const MAX_DIFF_LINES = 100;

/** What the approver needs to ask and to stop. */
export interface TerminalApproverOptions extends QuestionPlace {
    /** The repository root: folders are shown relative to it. */
    readonly root: string;
    /** Ctrl+C or Escape denies, and stops the turn. */
    cancelTurn(): void;
}

type RequestOf<Kind extends ApprovalRequest["kind"]> = Extract<ApprovalRequest, { kind: Kind }>;

/** Asks the person at the terminal, one key each. */
export function createTerminalApprover(options: TerminalApproverOptions): Approver {
    return {
        async decide(request, signal) {
            if (signal.aborted) return { kind: "deny" };
            const answer = await ask(request, options, signal);
            if (answer !== CANCELLED) return decisionOf(request.kind, answer);
            if (!signal.aborted) options.cancelTurn();
            return { kind: "deny" };
        },
    };
}

function ask(
    request: ApprovalRequest,
    options: TerminalApproverOptions,
    signal: AbortSignal
): Promise<string> {
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
    place: QuestionPlace,
    signal: AbortSignal
): Promise<string> {
    const { theme } = place.terminal;
    const { shown, rest } = cutLines(diffLines(request.diffs, theme), MAX_DIFF_LINES, theme);
    place.view.print(`\n${theme.question("?")} ${safeLine(request.intent)}\n${shown.join("\n")}`);
    const show = (): void => place.view.print(rest.join("\n"));
    const more: readonly KeyChoice[] =
        rest.length > 0 ? [{ key: "v", label: "view the rest", show }] : [];
    return askKey(place, [...CHOICES.write, ...more], signal);
}

function askShell(
    request: RequestOf<"shell">,
    place: TerminalApproverOptions,
    signal: AbortSignal
): Promise<string> {
    const { theme } = place.terminal;
    const relative = path.relative(place.root, request.cwd);
    const folder = relative === "" ? "the project folder" : showControls(relative);
    const lines = showControls(request.command).split("\n");
    const command = lines.map((line) => `    ${theme.strong(line)}`).join("\n");
    place.view.print(`\n${theme.question("?")} Run in ${folder}:\n${command}`);
    return askKey(place, CHOICES.shell, signal);
}

function askQuestion(
    request: RequestOf<"ask">,
    place: QuestionPlace,
    signal: AbortSignal
): Promise<string> {
    const { theme } = place.terminal;
    const sentence = showControls(request.question.sentence).replaceAll("\n", " ");
    place.view.print(`\n${theme.question("?")} ${sentence}`);
    return askKey(place, request.isOnce ? YES_OR_NO : CHOICES.ask, signal);
}

const CHOICES = {
    write: [
        { key: "a", label: "accept" },
        { key: "y", label: "always accept edits" },
        { key: "r", label: "reject" },
    ],
    shell: [
        { key: "r", label: "run" },
        { key: "a", label: "always run this" },
        { key: "y", label: "approve all commands" },
        { key: "d", label: "deny" },
    ],
    ask: [
        { key: "o", label: "once" },
        { key: "a", label: "always" },
        { key: "d", label: "deny" },
    ],
} as const satisfies Record<ApprovalRequest["kind"], readonly KeyChoice[]>;

const YES_OR_NO: readonly KeyChoice[] = [
    { key: "y", label: "yes" },
    { key: "n", label: "no" },
];

const APPROVE: Decision = { kind: "approve" };
const ALWAYS: Decision = { kind: "approve", remember: "always" };
const DECISIONS: Readonly<Record<ApprovalRequest["kind"], Readonly<Record<string, Decision>>>> = {
    write: { a: APPROVE, y: ALWAYS },
    shell: { r: APPROVE, a: ALWAYS, y: { kind: "approve", remember: "all" } },
    ask: { o: APPROVE, y: APPROVE, a: ALWAYS },
};

function decisionOf(kind: ApprovalRequest["kind"], answer: string): Decision {
    return DECISIONS[kind][answer] ?? { kind: "deny" };
}
