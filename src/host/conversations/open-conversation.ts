import { attempt } from "../../base/attempt.js";
import { firstOf } from "../../base/format.js";
import { NorthError } from "../../base/north-error.js";
import { valuesOf } from "../../core/registry/registry.js";
import type { OpenNested } from "../../core/agent/nested/run-nested.js";
import { ConversationLog, type OpenedLog } from "../../core/conversation/conversation-log.js";
import type { ConversationStore } from "../../storage/conversations/conversations.js";
import type { Project } from "../project/open-project.js";
import type { ChangedFile, JournalRecord, NestedOrigin } from "../../plugin/index.js";
import { unfinishedNotices } from "../../core/files/notes.js";
import { lostOutputs } from "../../core/conversation/draft-outputs.js";
import { resolveModel } from "../../core/registry/models.js";
import { findRoot, type Root } from "../../workspace/find-root.js";
import type { Conversation } from "../../core/conversation/fold.js";
import { noteUnmergedRuns } from "./unmerged-runs.js";
import { currentVersion } from "../../workspace/current-file.js";

/** A new conversation or nested run. Its log is created lazily. */
export function newConversation(
    project: Project,
    current: () => { readonly provider: string; readonly model: string },
    nested?: NestedOrigin
): ConversationLog {
    const id = project.stores.conversations.newId();
    const open = async () => {
        const { root } = project;
        const start = { id, root, ...current(), ...(nested && { nested }) };
        const { journal, started } = await project.stores.conversations.start(start);
        return { journal, records: [started] };
    };
    return conversationOf(project, id, open, nested);
}

/** Creates logs of nested runs for the open conversation. */
export function nestedLogs(project: Project, conversation: ConversationLog): OpenNested {
    const parent = conversation.isOpen ? { parent: conversation.id } : {};
    return (origin, model) => newConversation(project, () => model, { ...origin, ...parent });
}

export interface ResumedLog extends OpenedLog {
    readonly id: string;
    /** Its last root; `undefined` if the log has lost it. */
    readonly root: string | undefined;
    readonly warnings: readonly string[];
}

/** Locks the log before reading it, so that a second North fails at once. Reads it only once. */
export async function openResumedLog(store: ConversationStore, id: string): Promise<ResumedLog> {
    const journal = await store.open(id);
    try {
        const { records, warnings } = await store.read(id);
        assertNotLost(id, { records, warnings });
        const [start] = records;
        if (start?.type === "conversation_started" && start.nested) {
            throw nestedRun(id, start.nested);
        }
        return { id, journal, records, warnings, root: lastRoot(records) };
    } catch (error) {
        await journal.close();
        throw error;
    }
}

/** A nested run cannot resume: it has no approver and fewer tools, and no list shows it. */
function nestedRun(id: string, { by, parent }: NestedOrigin): NorthError {
    return new NorthError("nested-run", `${id} is a nested run of ${by}: it cannot be resumed.`, [
        `\`north conversations show ${id}\` shows it.`,
        ...(parent === undefined ? [] : [`\`north resume ${parent}\` resumes its conversation.`]),
    ]);
}

/** Throws `empty-conversation` if no line of a log could be read. */
export function assertNotLost(
    id: string,
    { records, warnings }: Pick<ResumedLog, "records" | "warnings">
): void {
    if (records.length > 0) return;
    const state = warnings.length > 0 ? "is damaged: no line can be read" : "is empty";
    throw new NorthError("empty-conversation", `The log of conversation ${id} ${state}.`, [
        `\`north conversations delete ${id}\` removes it; \`north\` starts a new one.`,
    ]);
}

export async function resumedConversation(
    project: Project,
    opened: ResumedLog
): Promise<ConversationLog> {
    const conversation = conversationOf(project, opened.id, async () => opened);
    await conversation.begin();
    if (opened.records.at(-1)?.type !== "conversation_ended") await project.sweepLeftovers();
    const { state } = conversation;
    if (state.begunChanges.size > 0 && state.root === project.root) {
        await project.recovered;
        await resolveInterruptedChanges({
            root: project.root,
            conversation: state,
            record: (record) => conversation.record(record),
        });
    }
    return conversation;
}

/** What the conversation's last end left undone, for the user. */
export async function resumeNotices(
    project: Project,
    conversation: ConversationLog
): Promise<readonly string[]> {
    const lost = firstOf(lostOutputs(conversation.state.entries, performance.timeOrigin));
    return [
        ...(await noteUnmergedRuns(project, conversation)),
        ...unfinishedNotices(project.stores.staging(conversation.id)),
        ...(lost
            ? [`Not kept with the draft, because it is ignored: ${lost}. Build and test again.`]
            : []),
    ];
}

function lastRoot(records: readonly JournalRecord[]): string | undefined {
    const record = records.findLast(
        ({ type }) => type === "conversation_started" || type === "root_changed"
    );
    return record && "root" in record ? record.root : undefined;
}

function conversationOf(
    project: Project,
    id: string,
    open: () => Promise<OpenedLog>,
    nested?: NestedOrigin
): ConversationLog {
    const observers = project.registry.observers.map(({ value }) => value);
    const redact = (record: JournalRecord) => project.secrets.record(record);
    return new ConversationLog(id, { open, observers, log: project.log, redact, nested });
}

/** Opens another conversation of the project. Rejects like `rootWarnings` and `open`. */
export async function nextConversation(project: Project, id: string) {
    const opened = await openResumedLog(project.stores.conversations, id);
    try {
        const isElsewhere = opened.root !== project.root;
        const warnings = isElsewhere ? await rootWarnings(opened) : [];
        const conversation = await resumedConversation(project, opened);
        const notices = await resumeNotices(project, conversation);
        const providers = valuesOf(project.registry.providers);
        const { provider, model: name } = conversation.state;
        const model = attempt(() => resolveModel(`${provider}/${name}`, providers));
        return {
            conversation,
            model,
            /** For the user. */
            warnings: [
                ...opened.warnings,
                ...warnings,
                ...notices,
                ...(model ? [] : [`Its model, ${provider}/${name}, is no longer available.`]),
                ...(model?.notice ? [model.notice] : []),
            ],
        };
    } catch (error) {
        await opened.journal.close();
        throw error;
    }
}

/** The root around `--path`, else the recorded root, else the root around the current folder. */
export async function rootOfRun(
    path: string | undefined,
    recorded: string | undefined,
    current: string
): Promise<Root & { readonly notice?: string }> {
    if (path !== undefined || recorded === undefined) return findRoot(path ?? current);
    try {
        return await findRoot(recorded);
    } catch {
        const place = await findRoot(current);
        const notice =
            `This conversation's repository, ${recorded}, is gone. ` +
            `It continues in ${place.root}; --path chooses another folder.`;
        return { ...place, notice };
    }
}

/** Rejects with `other-repository`, unless the conversation's own root is gone. */
async function rootWarnings({
    id,
    root,
}: {
    readonly id: string;
    readonly root: string | undefined;
}): Promise<readonly string[]> {
    if (root === undefined) return [];
    if (!(await findRoot(root).catch(() => undefined))) {
        return [`This conversation's repository, ${root}, is gone. It continues here.`];
    }
    throw new NorthError("other-repository", `Conversation ${id} belongs to ${root}.`, [
        `Quit, and run \`north resume ${id}\`; --path . continues in the current folder.`,
    ]);
}

/** Finds whether interrupted changes were made, so that undo works. Half-made ones are settled. */
export async function resolveInterruptedChanges({
    root,
    conversation,
    record,
}: {
    readonly root: string;
    readonly conversation: Conversation;
    record(record: JournalRecord): void;
}): Promise<void> {
    for (const change of [...conversation.begunChanges.values()]) {
        const isDone = await Promise.all(change.files.map((file) => isMade(root, file)));
        if (isDone.every(Boolean)) record({ type: "entry_added", entry: change });
        else record({ type: "change_dropped", id: change.id });
    }
}

/** An unreadable file is not what North wrote. */
async function isMade(root: string, { path, type, afterHash }: ChangedFile): Promise<boolean> {
    return currentVersion(root, path, type).then(
        (file) => (file?.hash ?? null) === afterHash,
        () => false
    );
}
