import type { ContextPart, Mode, ModelInfo, TextPart } from "../../plugin/index.js";
import type { Approver } from "../../core/approval/approver.js";
import { type Environment, userContent } from "../../core/message/user-content.js";
import type { Conversation } from "../../core/conversation/fold.js";
import {
    type AttachedPart,
    type Attachments,
    type AttachmentRequest,
    type GivenAttachment,
    mentionsIn,
} from "../../core/message/attachments.js";
import type { Secrets } from "../../core/agent/turn.js";
import type { SharedWorkspace } from "../../workspace/shared-workspace.js";
import { filesOnDisk } from "../../workspace/tree/file-tree.js";
import { viewTree } from "../../workspace/tree/view-tree.js";
import type { StoredView } from "../../core/draft/view.js";
import { asSent, type ProjectContext } from "./project-context.js";

export interface MessageOptions {
    readonly text: string;
    /** Text whose `@path` mentions count: typed, neither pasted nor piped in. */
    readonly typed: string;
    readonly context: readonly ContextPart[];
    readonly attached?: readonly GivenAttachment[] | undefined;
    readonly mode: Mode;
    readonly model: ModelInfo;
    readonly state: Conversation;
    /** Where mentioned files are read; in draft mode it shows the draft. */
    readonly workspace: SharedWorkspace;
    readonly contents: StoredView["contents"];
    readonly notes: readonly string[];
    readonly approver?: Approver | undefined;
    readonly signal: AbortSignal;
}

interface ComposerProject {
    readonly context: ProjectContext;
    readonly secrets: Secrets;
}

/** Collects the context that is due. It is recorded with the message and never sent differently. */
export class UserMessageBuilder {
    /** The conversation that already got its initial context in this run. */
    private begun: Conversation | undefined;

    /** `files` are absolute paths from the command line, sent with the first message. */
    constructor(
        private readonly project: ComposerProject,
        private readonly surroundings: Environment,
        private files: readonly string[]
    ) {}

    prepare(state: Conversation): void {
        if (this.begun !== state) this.project.context.prepare();
    }

    /** Sends the initial context again with the next message, because new files may exist. */
    resendContext(): void {
        this.begun = undefined;
    }

    async compose(options: MessageOptions) {
        const { text, mode, model, state, approver, signal } = options;
        const { secrets } = this.project;
        const [general, attachments] = await Promise.all([
            this.generalParts(options),
            this.attach(options, {
                mentions: mentionsIn(options.typed),
                files: this.files,
                given: options.attached,
                images: model.images === true,
                permit: approver && attachPermission(approver, signal),
                onSecret: (path) => this.project.secrets.release(path),
                signal,
            }),
        ]);
        const known = new Map([
            ...state.context.parts,
            ...general.map((part) => [part.id, part] as const),
        ]);
        const special = await this.project.context.forFiles(attachments.paths, known, signal);
        signal.throwIfAborted();
        const parts = [
            ...general,
            ...special,
            ...options.context.map((part) => asSent(part, "sent:")),
        ];
        const { content, context } = userContent({
            text,
            mode,
            environment: state.messages.length === 0 ? this.surroundings : undefined,
            // The flag counts now, and is not stored.
            parts: parts.map(({ fromOutside: _, ...part }) => ({
                ...part,
                text: secrets.text(part.text),
            })),
            reminders: state.reminders.values(),
            notes: [...state.notes, ...options.notes].map((note) => secrets.text(note)),
            attachments: attachments.parts.map((part) => withoutSecrets(part, secrets)),
        });
        this.begun = state;
        this.files = [];
        const message = { text, content, ...(context.length > 0 ? { context } : {}) };
        const outside = parts.find(({ fromOutside }) => fromOutside);
        const notices = [...this.project.context.takeNotices(), ...attachments.notices];
        /** What brought content from outside, if anything did. */
        const broughtBy = outside && (outside.origin ?? outside.id);
        return { message, notices, broughtBy };
    }

    /** Resends what differs: files may have changed while the conversation was closed. */
    private async generalParts(message: MessageOptions): Promise<readonly ContextPart[]> {
        const { state, signal } = message;
        const sent = state.context.parts;
        const [beginning, current] = await Promise.all([
            this.begun === state ? [] : this.project.context.begin(sent, signal),
            this.project.context.forMessage(
                { text: message.typed, mode: message.mode },
                sent,
                signal
            ),
        ]);
        return [...beginning, ...current];
    }

    private async attach(
        { workspace, contents, mode, state }: MessageOptions,
        request: AttachmentRequest
    ): Promise<Attachments> {
        const { mentions, files, given = [] } = request;
        if (mentions.length + files.length + given.length === 0) {
            return { parts: [], paths: [], notices: [] };
        }

        const { attachFiles } = await import("./attach-files.js");
        const view = mode === "draft" ? state.draft.view : undefined;
        const tree = view && (await viewTree(workspace.root, { files: view, contents }));
        return attachFiles(request, { workspace, files: tree ?? filesOnDisk });
    }
}

function withoutSecrets(part: AttachedPart, secrets: Secrets): AttachedPart {
    const { content } = part;
    if (content.type !== "text") return part;
    const clean: TextPart = { ...content, text: secrets.text(content.text) };
    return { ...part, content: clean };
}

function attachPermission(
    approver: Approver,
    signal: AbortSignal
): NonNullable<AttachmentRequest["permit"]> {
    return async (sentence) => {
        const question = { sentence, key: "" };
        const decision = await approver.decide(
            { kind: "ask", callId: "", question, isOnce: true },
            signal
        );
        return decision.kind === "approve";
    };
}
