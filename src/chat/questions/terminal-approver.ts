import type {
    ApprovalRequest,
    Approver,
    Decision,
    RequestOf,
    TrialRun,
} from "../../core/approval/approver.js";
import {
    askedBy,
    commandNotes,
    folderOf,
    variableLine,
} from "../../core/approval/question-notes.js";
import type { AllowedCommand, ChangeSet } from "../../plugin/index.js";
import { counted, firstRows, formatDuration } from "../../base/format.js";
import { showControls, terminalText, visibleLine } from "../../base/safe-text.js";
import type { Theme } from "../terminal/theme.js";
import { reviewChange, type ShownReview } from "./change-review.js";
import { printAnswer } from "./confirm.js";
import { bodyOf, indented } from "./excerpt.js";
import {
    ALWAYS,
    CANCELLED,
    NO,
    VIEW,
    YES,
    type Answer,
    type Choice,
    type Question,
    type Prompt,
} from "./question.js";
import { ShownLines } from "./shown-lines.js";
import { askUserQuestion } from "./user-question.js";
import { whyUnlisted } from "./why-unlisted.js";
import { askAndView } from "./ask.js";
import { countedFiles } from "../../plugin/change-set.js";
import { hasOnlyCommits } from "../../core/approval/contained-repository.js";
import { describeError } from "../describe-error.js";
import { loadDiffDetails } from "../render/diff/diff-details.js";
import { diffLines } from "../render/diff/diff-lines.js";

interface TerminalApproverOptions extends Prompt {
    /** The repository root. Folders are shown relative to it. */
    readonly root: string;
    allowedCommands(): Promise<readonly AllowedCommand[]>;
    notify?(): void;
    /** Called on Ctrl+C: denies and cancels the turn. */
    cancelTurn(): void;
}

const DENY: Decision = { kind: "deny" };
const NOTHING: ChangeSet = { changes: [] };

function withShown(decision: Decision, { byFile }: ShownLines): Decision {
    return decision.kind === "approve" && byFile ? { ...decision, shown: byFile } : decision;
}

export function createTerminalApprover(options: TerminalApproverOptions): Approver {
    /** The user's edited version of a proposal, which is reviewed again. */
    let own:
        | { readonly callId: string; readonly note: string; readonly shown: ShownLines }
        | undefined;
    return {
        async decide(request, signal) {
            if (signal.aborted) return DENY;
            options.notify?.();
            const earlier = own?.callId === request.callId ? own : undefined;
            own = undefined;
            const changes = request.kind === "write" ? request.changeSet : NOTHING;
            const shown = new ShownLines(changes, earlier?.shown);
            const review = { note: earlier?.note, shown };
            const settled = await askUser(request, options, review, signal);
            if (settled.kind === "decision") {
                const { decision, note } = settled;
                if (decision.kind === "modify") own = { callId: request.callId, note, shown };
                return withShown(decision, shown);
            }
            if (settled.answer !== CANCELLED) return withShown(decisionOf(settled.answer), shown);
            if (!signal.aborted) options.cancelTurn();
            return DENY;
        },
        async answer(question, signal) {
            if (signal.aborted) return undefined;
            options.notify?.();
            const answer = await askUserQuestion(options, question, signal);
            if (answer !== CANCELLED) return answer;
            if (!signal.aborted) options.cancelTurn();
            return undefined;
        },
    };
}

function decisionOf({ letter, reason }: Answer): Decision {
    if (letter === "y") return { kind: "approve" };
    if (letter === "m") return { kind: "approve", withTrailer: true };
    if (letter === "c") return { kind: "contained" };
    if (letter === "w") return { kind: "draft-first" };
    if (letter === "d") return { kind: "discard" };
    if (letter === "s") return { kind: "approve", remember: "session" };
    if (letter === "a") return { kind: "approve", remember: "always" };
    return reason === undefined ? DENY : { kind: "deny", reason };
}

async function askUser(
    request: ApprovalRequest,
    place: TerminalApproverOptions,
    review: ShownReview,
    signal: AbortSignal
): ReturnType<typeof reviewChange> {
    switch (request.kind) {
        case "write":
            return reviewChange(request, place, review, signal);
        case "shell":
            return { kind: "answer", answer: await askCommand(request, place, signal) };
        case "ask": {
            const asked = toolQuestion(request, place.terminal.theme);
            const answer = await askAndView(place, asked.question, signal, () => asked.whole);
            // A budget request has no call whose line would stay in the transcript.
            if (request.isOnce) printAnswer(place, asked.question, answer);
            return { kind: "answer", answer };
        }
    }
    return request satisfies never;
}

interface WholeQuestion {
    readonly question: Question;
    readonly whole: readonly string[];
}

/** Shows how the contained run went, and asks again after each trial. */
async function askCommand(
    request: RequestOf<"shell">,
    place: TerminalApproverOptions,
    signal: AbortSignal
): Promise<Answer | typeof CANCELLED> {
    const { tried } = request;
    let trial = tried && (await showTrial(async () => tried, place));
    for (;;) {
        const { question, whole } = await commandQuestion(request, place, trial);
        const answer = await askAndView(place, question, signal, () => whole);
        if (answer === CANCELLED || answer.letter !== "t" || !request.tryContained) return answer;
        trial = await showTrial(request.tryContained, place);
    }
}

const TRY: Choice = { letter: "t", label: "try contained" };
const TAKE: Choice = { letter: "c", label: "contained result" };
const DRAFT_FIRST: Choice = {
    letter: "w",
    label: "apply the draft, then run",
    short: "apply, then run",
    approves: true,
};
const SESSION: Choice = {
    letter: "s",
    label: "allow until I quit",
    short: "until I quit",
    approves: true,
};

async function commandQuestion(
    request: RequestOf<"shell">,
    place: TerminalApproverOptions,
    trial: ShownTrial | undefined
): Promise<WholeQuestion> {
    const { theme } = place.terminal;
    const { command, cwd, lapsed, mustAsk = false, consequences, unseenFiles = 0, by } = request;
    const variables = (request.variables ?? []).map(variableLine);
    const { relative, isOutside, said } = folderOf(place.root, cwd);
    const allowed = await place.allowedCommands().catch(() => []);
    const needs = trial?.needs ?? request.needs;
    const needsEnter = consequences.length > 0;
    const warned = consequences.map((text) => visibleLine(capitalized(text)));
    const always = { ...ALWAYS, label: "always allow in this folder" };
    const lasting = isOutside || mustAsk ? [] : [{ ...SESSION, needsEnter }, always];
    const question = {
        title: `Run this command${said}?`,
        body: [
            ...bodyOf(command, theme.strong),
            ...variables.flatMap((line) => bodyOf(line, theme.warning)),
        ].map(indented),
        warnings: [
            ...commandNotes({ ...request, ...(needs !== undefined && { needs }) }),
            ...(trial === undefined ? [] : [trial.sentence]),
            ...warned,
        ],
        hint: visibleLine(
            lapsed === undefined
                ? whyUnlisted(command, isOutside ? undefined : relative, allowed)
                : `${capitalized(lapsed)}.`
        ),
        choices: [
            NO,
            { ...YES, needsEnter },
            ...lasting,
            ...(unseenFiles > 0 && by === undefined ? [{ ...DRAFT_FIRST, needsEnter }] : []),
            ...(trial?.ran ? [TAKE] : request.tryContained ? [TRY] : []),
            VIEW,
        ],
        takesReason: true,
    };
    return { question, whole: [...bodyLines(command), ...variables] };
}

/** Longer sentences move to the body, to stay fully visible. */
const MAX_TITLE_LENGTH = 160;

function toolQuestion({ question, isOnce, by }: RequestOf<"ask">, theme: Theme): WholeQuestion {
    const { sentence, details } = question;
    const title = visibleLine(sentence);
    const isLong = title.length > MAX_TITLE_LENGTH;
    const text = [...(isLong ? [sentence] : []), ...(details === undefined ? [] : [details])];
    const body = text.join("\n");
    return {
        question: {
            title: isLong ? "Allow this?" : /[?]$/.test(title) ? title : `${title}?`,
            body: body === "" ? [] : bodyOf(body, theme.strong).map(indented),
            warnings: askedBy(by),
            choices: [NO, YES, ...(isOnce ? [] : [ALWAYS]), VIEW],
            takesReason: !isOnce,
        },
        whole: bodyLines(body),
    };
}

function capitalized(text: string): string {
    return text.charAt(0).toUpperCase() + text.slice(1);
}

function bodyLines(text: string): string[] {
    return showControls(text).split("\n");
}

/** Last output lines and first diff lines shown. */
const [OUTPUT_LINES, CHANGED_LINES] = [10, 200];

interface ShownTrial {
    readonly sentence: string;
    readonly needs: string | undefined;
    /** Whether there is a result. */
    readonly ran: boolean;
}

async function showTrial(
    tryContained: () => Promise<TrialRun>,
    prompt: Prompt
): Promise<ShownTrial> {
    const { terminal, view } = prompt;
    const { theme } = terminal;
    let trial: TrialRun;
    try {
        trial = await tryContained();
    } catch (error) {
        view.print(describeError(error, "the log", theme));
        const sentence = "The command could not be tried contained.";
        return { sentence, needs: undefined, ran: false };
    }
    const { outcome, changeSet, diffs } = trial;
    const details = await loadDiffDetails(changeSet, theme);
    const style = { theme, details, columns: view.columns - 2, isShortened: true };
    const changed = firstRows(diffLines(diffs, style), CHANGED_LINES, (more) =>
        theme.quiet(`… ${counted(more, "more line")}`)
    );
    view.printVerbatim([...outputLines(trial), ...changed].map((line) => `  ${line}`));
    const end = outcome.timedOut
        ? "stopped at its time limit"
        : `exit ${outcome.exitCode} after ${formatDuration(outcome.durationMs)}`;
    const effect = diffs.length === 0 ? "nothing changed" : `${effectOf(changeSet)}, shown above`;
    return { sentence: `Contained run: ${end}, ${effect}.`, needs: trial.needs, ran: true };
}

function effectOf(changeSet: ChangeSet): string {
    const { changes, outputs = [] } = changeSet;
    const left = outputs.reduce((sum, { files }) => sum + files, 0);
    const leaves = left > 0 ? [`leave ${counted(left, "ignored file")}`] : [];
    const changed = hasOnlyCommits(changeSet) ? "the repository" : countedFiles(changes);
    const isChanged = changes.length > 0 || leaves.length === 0;
    return `would ${[...(isChanged ? [`change ${changed}`] : []), ...leaves].join(" and ")}`;
}

function outputLines({ outcome }: TrialRun): string[] {
    const text = [outcome.stdout, outcome.stderr].map((each) => each.trimEnd()).join("\n");
    const lines = showControls(terminalText(text.trim())).split("\n");
    return text.trim() === "" ? [] : lines.slice(-OUTPUT_LINES);
}
