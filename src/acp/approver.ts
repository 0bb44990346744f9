import { randomUUID } from "node:crypto";
import type { PermissionOption, ToolCallContent } from "@agentclientprotocol/sdk";
import { messageOf } from "../base/system-error.js";
import { counted, formatLineCounts } from "../base/format.js";
import { visibleLine } from "../base/safe-text.js";
import { shownName } from "../plugin/change-set.js";
import { gitLine } from "../plugin/git-changes.js";
import { hasOnlyCommits, hasOnlyOutputs } from "../core/approval/contained-repository.js";
import type { ShellOutcome, UserQuestion } from "../plugin/index.js";
import { askedBy, commandNotes, folderOf, variableLine } from "../core/approval/question-notes.js";
import type { ApprovalRequest, Approver, Decision, RequestOf } from "../core/approval/approver.js";
import type { EditorClient, EditorQuestion } from "./editor-client.js";
import { outputContent, proposalContent, textContent } from "./tool-content.js";
import { ownValue } from "../base/fields.js";

export const YES: PermissionOption = { optionId: "yes", name: "Yes", kind: "allow_once" };
/** Last output lines of a contained run shown with its question. */
const TRIED_LINES = 10;
const NO: PermissionOption = { optionId: "no", name: "No", kind: "reject_once" };

const TAKE: PermissionOption = {
    optionId: "contained",
    name: "No, use the contained result",
    kind: "reject_once",
};
const DRAFT_FIRST: PermissionOption = {
    optionId: "draft-first",
    name: "Apply the draft, then run",
    kind: "allow_once",
};
const DRAFT_OPTIONS: readonly PermissionOption[] = [
    { ...YES, name: "Apply the draft" },
    { ...NO, name: "Later, keep the draft" },
    { optionId: "discard", name: "Discard the draft", kind: "reject_once" },
];
const ALWAYS_COMMITS = "Yes, and commits in this project, always";
const SESSION_OUTPUTS = "Yes, and what this command leaves there, until this session ends";
const ALWAYS_OUTPUTS = "Yes, and what this command leaves there, always";

const DECISIONS: Readonly<Record<string, Decision>> = {
    contained: { kind: "contained" },
    discard: { kind: "discard" },
    "draft-first": { kind: "draft-first" },
    yes: { kind: "approve" },
    trailer: { kind: "approve", withTrailer: true },
    session: { kind: "approve", remember: "session" },
    always: { kind: "approve", remember: "always" },
};

interface ApproverOptions {
    readonly client: EditorClient;
    readonly root: string;
    /** The root as the editor names it, possibly through a symlink. */
    readonly editorRoot: string;
}

/** Asks the user in the editor. No answer counts as a no, and so does an editor that cannot ask. */
export function createEditorApprover(options: ApproverOptions): Approver {
    return {
        async decide(request, signal) {
            const question = questionOf(request, options);
            try {
                // Questions outside of a call have no id, but each needs its own.
                const callId = question.callId || randomUUID();
                const chosen = await options.client.ask({ ...question, callId }, signal);
                return ownValue(DECISIONS, chosen ?? "") ?? { kind: "deny" };
            } catch (error) {
                const why = messageOf(error);
                return { kind: "deny", reason: `the editor could not ask: ${visibleLine(why)}` };
            }
        },
        answer: ({ asker, title, ...question }, signal) =>
            inquire(options.client, { title: `${asker}: ${title}`, ...question }, signal).catch(
                () => undefined
            ),
    };
}

/** Asks a question that is not an approval. Uses a form for free text, if the editor has forms. */
export async function inquire(
    client: EditorClient,
    { title, choices = [], allowText = false }: UserQuestion,
    signal: AbortSignal
): Promise<string | undefined> {
    const takesText = allowText || choices.length === 0;
    if (takesText && client.hasForms) return client.askForText(title, choices, signal);
    const chosen = await choose(client, title, choices, signal);
    return chosen === undefined ? undefined : choices[chosen];
}

export async function choose(
    client: EditorClient,
    title: string,
    choices: readonly string[],
    signal: AbortSignal
): Promise<number | undefined> {
    if (choices.length === 0) return undefined;
    const options = choices.map((choice, index): PermissionOption => ({
        optionId: String(index),
        name: visibleLine(choice),
        kind: "allow_once",
    }));
    const question = { title: visibleLine(title), content: [], options };
    const chosen = await askOutsideCall(client, question, signal);
    const index = options.findIndex(({ optionId }) => optionId === chosen);
    return index < 0 ? undefined : index;
}

/** Returns the id of the chosen option. */
export function askOutsideCall(
    client: EditorClient,
    { title, content, options }: Pick<EditorQuestion, "title" | "content" | "options">,
    signal: AbortSignal
): Promise<string | undefined> {
    const question = { callId: randomUUID(), title, content, kind: "other" } as const;
    return client.ask({ ...question, options: [...options, NO] }, signal);
}

function questionOf(request: ApprovalRequest, options: ApproverOptions): EditorQuestion {
    switch (request.kind) {
        case "write":
            return writeQuestion(request, options);
        case "shell":
            return commandQuestion(request, options);
        case "ask":
            return toolQuestion(request);
    }
    return request satisfies never;
}

function writeQuestion(
    request: RequestOf<"write">,
    { editorRoot }: ApproverOptions
): EditorQuestion {
    const {
        callId,
        changeSet,
        diffs,
        command,
        alwaysAsks,
        findings = [],
        look,
        draft,
        trailer,
    } = request;
    const [first] = diffs;
    const what = diffs.length === 1 && first ? shownName(first) : counted(diffs.length, "file");
    const warnings = [...(alwaysAsks === undefined ? [] : [alwaysAsks]), ...findings];
    const remembered = [
        lasting("session", "Yes, and all edits until this session ends"),
        lasting("always", "Yes, and all edits in this project, always"),
    ];
    const { git } = changeSet;
    const kept = request.outputKeys?.length
        ? [lasting("session", SESSION_OUTPUTS), lasting("always", ALWAYS_OUTPUTS)]
        : [];
    const commits =
        git?.isPlain && hasOnlyCommits(changeSet) ? [lasting("always", ALWAYS_COMMITS)] : [];
    const assisted: PermissionOption[] =
        trailer === undefined
            ? []
            : [{ optionId: "trailer", name: `Yes, with ${trailer}`, kind: "allow_once" }];
    const offered = git ? commits : hasOnlyOutputs(changeSet) ? kept : remembered;
    const places = diffs.map(({ path: place, count = "" }) => `${place} (${count})`).join(", ");
    const from = draft
        ? "Apply the draft:"
        : command === undefined
          ? "Edit"
          : "Apply the command's changes in";
    const said = git?.changes.map(gitLine).join("; ");
    const files = `${from} ${visibleLine(what)} (${formatLineCounts(diffs)})${draft ? `, ${draft.tested}` : ""}`;
    const title = git
        ? visibleLine(hasOnlyCommits(changeSet) ? (said ?? "") : `${said}; ${files}`)
        : hasOnlyOutputs(changeSet)
          ? `Keep what the command left in ${visibleLine(places)}`
          : files;
    return {
        callId,
        kind: "edit",
        title,
        content: [
            ...warnings.map((text) => textContent(visibleLine(text))),
            ...(command === undefined ? [] : [outputContent(command)]),
            ...proposalContent(editorRoot, changeSet, diffs, look?.()),
        ],
        options: draft
            ? [...DRAFT_OPTIONS]
            : [YES, ...assisted, ...(alwaysAsks === undefined ? offered : []), NO],
    };
}

/** Warnings go first in the title: an editor may truncate it. */
function commandQuestion(request: RequestOf<"shell">, { root }: ApproverOptions): EditorQuestion {
    const { callId, command, cwd, tried, mustAsk, consequences, variables = [] } = request;
    const { lapsed, unseenFiles = 0, by } = request;
    const { isOutside, said } = folderOf(root, cwd);
    const warnings = consequences.map((text) => visibleLine(text));
    const title = [...warnings, `run ${visibleLine(command)}${said}`].join("; ");
    const content: ToolCallContent[] = [
        ...warnings.map((text) => textContent(`**It ${text}**`)),
        ...commandNotes(request).map(textContent),
        ...(lapsed === undefined
            ? []
            : [textContent(`It was allowed, but North asks again: ${lapsed}.`)]),
        outputContent(command),
        ...(variables.length === 0 ? [] : [outputContent(variables.map(variableLine).join("\n"))]),
        ...(tried === undefined ? [] : triedContent(tried.outcome)),
        ...(said === "" ? [] : [textContent(`Runs${said}.`)]),
    ];
    const remembered = [
        lasting("session", "Yes, and this command until this session ends"),
        lasting("always", "Yes, and this command in this folder, always"),
    ];
    return {
        callId,
        kind: "execute",
        title: title.charAt(0).toUpperCase() + title.slice(1),
        content,
        options: [
            YES,
            ...(isOutside || mustAsk ? [] : remembered),
            ...(unseenFiles === 0 || by !== undefined ? [] : [DRAFT_FIRST]),
            ...(tried === undefined ? [] : [TAKE]),
            NO,
        ],
    };
}

/** How the contained run ended, with its last output. */
function triedContent({ stdout, stderr, exitCode }: ShellOutcome): ToolCallContent[] {
    const output = `${stdout}\n${stderr}`.trim().split("\n").slice(-TRIED_LINES).join("\n");
    const end = textContent(`Contained run: exit ${exitCode}.`);
    return output === "" ? [end] : [end, outputContent(output)];
}

function toolQuestion({ callId, question, isOnce, by }: RequestOf<"ask">): EditorQuestion {
    const { sentence, details } = question;
    return {
        callId,
        kind: "other",
        title: visibleLine(sentence),
        content: [
            ...askedBy(by).map(textContent),
            ...(details === undefined ? [] : [outputContent(details)]),
        ],
        options: [YES, ...(isOnce ? [] : [lasting("always", "Yes, in this project, always")]), NO],
    };
}

function lasting(optionId: string, name: string): PermissionOption {
    return { optionId, name, kind: "allow_always" };
}
