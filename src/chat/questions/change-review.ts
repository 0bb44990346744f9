import type { RequestOf, Decision } from "../../core/approval/approver.js";
import { isBinary } from "../../base/binary.js";
import { hasOnlyCommits, hasOnlyOutputs } from "../../core/approval/contained-repository.js";
import { allDiffsOf, diffsOf } from "../../core/diff/diff.js";
import { hasEffect } from "../../core/draft/view.js";
import { countedFiles, shownName } from "../../plugin/change-set.js";
import type { ChangeSet, FileChange } from "../../plugin/index.js";
import { describeError } from "../describe-error.js";
import { loadDiffDetails } from "../render/diff/diff-details.js";
import { diffLines, diffRows, kindNote } from "../render/diff/diff-lines.js";
import { shownFindings } from "../render/findings.js";
import { bodyOf, indented } from "./excerpt.js";
import { diffBody } from "./diff-body.js";
import { counted, formatLineCounts, formatUsd } from "../../base/format.js";
import { fitMiddle } from "../render/rows.js";
import { editFiles } from "../terminal/programs.js";
import { visibleLine, visibleName } from "../../base/safe-text.js";
import { splitChanges } from "../../core/diff/split-changes.js";
import { reviewHunks } from "./hunk-review.js";
import type { ShownLines } from "./shown-lines.js";
import {
    ALWAYS,
    CANCELLED,
    NO,
    VIEW,
    YES,
    type Choice,
    type Question,
    type Prompt,
    type ReviewAnswer,
} from "./question.js";
import { askAndView } from "./ask.js";
import { askLine } from "./line-question.js";

const MAX_COMMAND_LENGTH = 120;

const SESSION: Choice = {
    letter: "s",
    label: "allow edits until I quit",
    short: "until I quit",
    approves: true,
};
const ALWAYS_EDITS: Choice = { ...ALWAYS, label: "always allow edits here" };
const SESSION_OUTPUTS: Choice = { ...SESSION, label: "until I quit" };
const ALWAYS_OUTPUTS: Choice = { ...ALWAYS, label: "always for this command" };
/** A draft stays as it is until its user decides. */
const LATER: Choice = { letter: "l", label: "later" };
const APPLY: Choice = { ...YES, label: "apply" };
const DISCARD: Choice = { letter: "d", label: "discard", needsEnter: true };
const ALWAYS_COMMITS: Choice = { ...ALWAYS, label: "always allow commits here" };
const HUNKS: Choice = { letter: "h", label: "hunks" };
const EDIT: Choice = { letter: "e", label: "edit it first", short: "edit" };

export interface ShownReview {
    /** Describes the user's own version, which is reviewed again. */
    readonly note: string | undefined;
    /** Gets what the screen showed of the change. */
    readonly shown: ShownLines;
}

/** Asks until a change is settled, maybe by hunks or an edit. */
export async function reviewChange(
    request: RequestOf<"write">,
    prompt: Prompt,
    { note, shown }: ShownReview,
    signal: AbortSignal
): Promise<ReviewAnswer> {
    const { changeSet, diffs, command, alwaysAsks, look } = request;
    const { outputs = [] } = changeSet;
    const { theme } = prompt.terminal;
    const style = { theme, details: await loadDiffDetails(changeSet, theme) };
    // A commit holds the files as they are.
    const isWhole = changeSet.git !== undefined;
    const parts = !isWhole && hunkCount(request) > 1 ? [HUNKS] : [];
    const edits = !isWhole && changeSet.changes.some(isText) ? [EDIT] : [];
    const ignored = changeSet.changes.filter(({ isIgnored }) => isIgnored);
    // Its title says all of it.
    const onlyGit = hasOnlyCommits(changeSet) && diffs.length === 1;
    const left = outputs.reduce((sum, { files }) => sum + files, 0);
    const question: Question = {
        // Of a draft nothing is left out, however narrow the terminal is.
        ...(request.draft
            ? { title: `${titleOf(request, note)} ${countsOf(request)}` }
            : { title: titleOf(request, note), subtitle: countsOf(request) }),
        body: onlyGit ? bodyOf(command ?? "", theme.quiet).map(indented) : diffBody(diffs, style),
        hasDetails: isWhole,
        warnings: [
            ...(alwaysAsks === undefined ? [] : [visibleLine(alwaysAsks)]),
            ...shownFindings(request.findings),
        ],
        choices: request.draft
            ? [LATER, APPLY, ...parts, VIEW, ...edits, DISCARD]
            : [
                  NO,
                  YES,
                  ...trailerChoice(request),
                  ...lastingChoices(request),
                  ...parts,
                  ...edits,
                  VIEW,
              ],
        takesReason: !request.draft,
        onShown: (lines) => shown.add(lines),
        onPrinted: () => shown.add(diffRows(allDiffsOf(changeSet), style)),
        ...(ignored.length + left > 0 && { omitted: omittedFiles(ignored, left) }),
    };
    for (;;) {
        const whole = () => {
            const { changes, more } = look?.() ?? { changes: [], more: 0 };
            const all = { changes: [...changeSet.changes, ...changes] };
            const rest = more > 0 ? ["", `${counted(more, "more file")}, not shown`] : [];
            const git = diffsOf({ changes: [], git: changeSet.git });
            return [...diffLines([...git, ...allDiffsOf(all)], style), ...rest];
        };
        const answer = await askAndView(prompt, question, signal, whole);
        if (answer !== CANCELLED && answer.letter === "h") {
            const settled = await reviewHunks(request, { ...prompt, shown }, signal, style);
            if (settled) return request.draft ? withReason(settled, prompt, signal) : settled;
        } else if (answer !== CANCELLED && answer.letter === "e") {
            const decision = await editChange(request, prompt);
            const note =
                request.draft || decision?.kind !== "modify"
                    ? ""
                    : countedFiles(decision.changeSet.changes);
            if (decision) return { kind: "decision", decision, note };
        } else {
            return { kind: "answer", answer };
        }
    }
}

/** Refused hunks of a draft are lost to the model unless it learns why. */
async function withReason(
    settled: ReviewAnswer,
    prompt: Prompt,
    signal: AbortSignal
): Promise<ReviewAnswer> {
    if (settled.kind !== "decision" || settled.decision.kind !== "modify") return settled;
    const reason = await askLine(
        prompt,
        "Why not the other hunks? The model sees your reason (Enter: none):",
        signal
    );
    if (reason === undefined) return { kind: "answer", answer: CANCELLED };
    if (reason === "") return settled;
    return { ...settled, decision: { ...settled.decision, reason } };
}

function trailerChoice({ trailer }: RequestOf<"write">): Choice[] {
    if (trailer === undefined) return [];
    return [{ ...YES, letter: "m", label: `yes, with ${trailer}`, short: "yes, with Assisted-by" }];
}

/** What else may be allowed: all edits, or only what this command leaves where git ignores it. */
function lastingChoices({ alwaysAsks, changeSet, outputKeys = [] }: RequestOf<"write">): Choice[] {
    if (alwaysAsks !== undefined) return [];
    // All edits would not cover what happens in git's folder.
    if (changeSet.git) {
        return changeSet.git.isPlain && hasOnlyCommits(changeSet) ? [ALWAYS_COMMITS] : [];
    }
    if (!hasOnlyOutputs(changeSet)) return [SESSION, ALWAYS_EDITS];
    return outputKeys.length > 0 ? [SESSION_OUTPUTS, ALWAYS_OUTPUTS] : [];
}

function omittedFiles(ignored: readonly FileChange[], left: number): string {
    const files = left + ignored.filter(({ type }) => type !== "folder").length;
    return files > 0 ? counted(files, "file") : countedFiles(ignored);
}

/** `Edit src/x.ts?` The only file has no other place for its name. */
function titleOf(
    { diffs, command, changeSet, draft }: RequestOf<"write">,
    note: string | undefined
): string {
    const [first] = diffs;
    const only = diffs.length === 1 && first ? visibleName(shownName(first)) : undefined;
    if (draft && note === undefined) return "Apply this draft?";
    if (draft) return `Apply your version?${note === "" ? "" : ` ${note} ·`}`;
    if (note !== undefined) {
        return `Apply your version${only === undefined ? "" : ` of ${only}`}? ${note}`;
    }
    if (command !== undefined) {
        if (first && hasOnlyCommits(changeSet) && diffs.length === 1) return `${only}?`;
        const what = first && only !== undefined ? ` to ${only}${kindNote(first)}` : "";
        const said = fitMiddle(visibleLine(command), MAX_COMMAND_LENGTH);
        if (hasOnlyOutputs(changeSet)) {
            return `Keep what this command left${only === undefined ? "" : ` in ${only}`}? ${said}`;
        }
        return `Apply this command's changes${what}? ${said}`;
    }
    const kinds = new Set(diffs.map(({ kind }) => kind));
    const [kind] = kinds;
    const verbs = { created: "Create", modified: "Edit", deleted: "Delete" };
    const verb = kinds.size === 1 && kind ? verbs[kind] : "Change";
    return `${verb} ${only ?? counted(diffs.length, "file")}?`;
}

function countsOf({ diffs, changeSet, draft }: RequestOf<"write">): string {
    const [first] = diffs;
    if (hasOnlyOutputs(changeSet) && first) {
        return diffs.length === 1 ? (first.count ?? "") : "";
    }
    if (hasOnlyCommits(changeSet) && first) return diffs.length === 1 ? (first.note ?? "") : "";
    const lines = formatLineCounts(diffs);
    if (!draft) return lines;
    const cost = draft.costUsd === null || draft.costUsd === 0 ? [] : [formatUsd(draft.costUsd)];
    const files =
        diffs.length === 1 && first
            ? visibleName(shownName(first)) + kindNote(first)
            : counted(diffs.length, "file");
    return [`${files} ${lines}`, draft.tested, ...cost].join(" · ");
}

function hunkCount({ diffs }: RequestOf<"write">): number {
    const headers = diffs.flatMap(({ diff }) => diff.match(/^@@ /gm) ?? []);
    return Math.max(diffs.length, headers.length);
}

/** Lets the user edit the proposal; `undefined` if they changed nothing. */
async function editChange(
    { changeSet }: RequestOf<"write">,
    { terminal, view }: Prompt
): Promise<Decision | undefined> {
    const texts = changeSet.changes.filter(isText);
    const files = texts.map(({ path, after }) => ({ name: path, content: after }));
    const edited = await editFiles(terminal, files).catch((error: unknown) => {
        view.print(describeError(error, "the log", terminal.theme));
        return undefined;
    });
    const contents = new Map(texts.map(({ path }, index) => [path, edited?.[index]]));
    const changed = texts.filter(({ path, after }) => {
        const content = contents.get(path);
        return content !== undefined && Buffer.compare(content, after) !== 0;
    });
    if (changed.length === 0) return undefined;
    const changes = changeSet.changes
        .map((change) => ({ ...change, after: contents.get(change.path) ?? change.after }))
        .filter(hasEffect);
    if (changes.length === 0) {
        return { kind: "deny", reason: "The user removed all changes." };
    }
    const hunks = await headersOf({ changes }, new Set(changed.map(({ path }) => path)));
    return { kind: "modify", changeSet: { changes }, hunks };
}

async function headersOf(changeSet: ChangeSet, edited: ReadonlySet<string>): Promise<string[]> {
    const { hunks } = splitChanges(changeSet, []);
    return hunks.map(
        ({ path, header }) => `${path} ${header}${edited.has(path) ? " edited by the user" : ""}`
    );
}

function isText(change: FileChange): change is FileChange & { readonly after: Uint8Array } {
    const isFile = change.type === undefined && !change.isIgnored;
    return isFile && change.after !== null && !isBinary(change.after);
}
