import { Once } from "../../base/once.js";
import { untilAborted } from "../../base/waiting.js";
import type { ModelHandle } from "../../core/agent/model-handle.js";
import { runTurn } from "../../core/agent/turn/run-turn.js";
import {
    type Turn,
    type TurnProject,
    type RebasedDraft,
    TurnStopped,
} from "../../core/agent/turn.js";
import type { ContainedRuns } from "../../core/approval/contained-runs.js";
import { Conversation } from "../../core/conversation/fold.js";
import { NO_CHANGES } from "../../core/approval/changes.js";
import {
    madeCalls,
    type RecordedChange,
    recordedModel,
    type RecordedTurn,
} from "../../core/history/recorded-turns.js";
import { type FileVersions, isCovered } from "../../core/history/states.js";
import { type FileVersion, versionAfter, versionBefore } from "../../core/draft/view.js";
import type { Staging } from "../../core/files/staging.js";
import { silentLog } from "../../core/log.js";
import type { ModelInfo, Tool, ToolCallPart } from "../../plugin/index.js";
import type { ChangedFile, JournalRecord } from "../../plugin/records.js";
import type { WithheldSecrets } from "../project/withheld-secrets.js";
import { systemRuntime } from "../runtime.js";
import { recordedApprover, replayedTools } from "./recorded-approver.js";
import { needIn, networkIn, readCommand } from "../../code/commands/read-command.js";
import type { ReplayedProject } from "./replayed-project.js";
import { type Difference, TurnComparison } from "./turn-comparison.js";

interface ReplayOptions {
    readonly id: string;
    readonly project: Pick<TurnProject, "workspace" | "shell" | "applier" | "contents"> & {
        readonly secrets: WithheldSecrets;
    };
    readonly contained: ContainedRuns;
    readonly staging: Staging;
    /** Tools that can run again; others return their recorded results. */
    readonly tools: ReadonlyMap<string, Tool>;
    /** The files that the conversation changes, as they were at its start. */
    readonly start: FileVersions;
    readonly files: ReplayedProject;
    readonly recordedRoot: string;
    readonly signal: AbortSignal;
}

/** Replays a conversation turn by turn, with recorded replies and answers. */
export class ReplayedConversation {
    calls = 0;
    /** Calls that need the network, a person or a missing plugin. */
    notRun = 0;
    difference: Difference | undefined;
    private readonly conversation = new Conversation();
    /** File versions at this point of the recording, by path. */
    private readonly known: Map<string, FileVersion>;

    constructor(private readonly options: ReplayOptions) {
        this.known = new Map(options.start);
        this.conversation.id = options.id;
        this.conversation.root = options.files.root;
    }

    async turn(recorded: RecordedTurn): Promise<void> {
        const { files, recordedRoot, project } = this.options;
        const { secrets } = project;
        const stop = new AbortController();
        const signal = AbortSignal.any([this.options.signal, stop.signal]);
        const comparison = new TurnComparison(recorded, {
            withoutSecrets: (result) => secrets.result(result),
            inRecordedRoot: (text) => text.replaceAll(files.root, recordedRoot),
        });
        const skipped = new Set<string>();
        const { message } = recorded;
        const made = madeCalls(recorded);
        const rest = recorded.changes.filter(({ callId }) => !callId || !made.has(callId));
        const turn: Turn = {
            conversation: {
                state: this.conversation,
                isOpen: true,
                record: (given) => {
                    comparison.add(this.stored(given), skipped);
                    if (comparison.difference) stop.abort(new TurnStopped("cancelled"));
                },
                observe: () => {},
                sync: async () => {},
            },
            model: {
                ...RECORDED,
                connection: recordedModel(recorded, {
                    prepare: async ({ at }, calls) => {
                        this.applyRest(rest, (change) => settlesDraft(change) && change.at <= at);
                        await this.bringFiles(recorded, calls);
                    },
                    stop: () => stop.abort(new TurnStopped("cancelled")),
                }),
            },
            project: this.projectIn(recorded, rest),
            user: {
                approver: recordedApprover(recorded, {
                    contents: project.contents,
                    notRun: (callId) => skipped.add(callId),
                }),
            },
            settings: { mode: message.mode, limits: {} },
            request: {
                message,
                system: "",
                tools: replayedTools(this.options.tools, recorded, (callId) => skipped.add(callId)),
                schemas: [],
            },
            staging: this.options.staging,
            log: silentLog,
            runtime: {
                ...systemRuntime,
                sleep: (_milliseconds, signal) => untilAborted(Promise.resolve(), signal),
            },
            session: { runGrants: { acceptEdits: false, approveShell: false }, once: new Once() },
            signal,
        };
        for await (const event of runTurn(turn)) {
            if (event.type === "turn-finished" && !signal.aborted) comparison.end(skipped);
        }
        this.options.signal.throwIfAborted();
        if (stop.signal.aborted) comparison.end(skipped);
        this.calls += comparison.compared;
        this.notRun += skipped.size;
        this.difference = comparison.difference;
        this.applyRest(rest, () => true);
    }

    private projectIn(turn: RecordedTurn, rest: readonly RecordedChange[]): TurnProject {
        const { files, project } = this.options;
        let command = "";
        const place: TurnProject = {
            ...project,
            grants: NO_GRANTS,
            forecast: async (wanted) => {
                command = wanted;
                const needs = await needOf(wanted);
                return { consequences: [], needs, backUp: async () => async () => undefined };
            },
            readChecks: async () => ({
                checks: [],
                hasOthers: false,
                leavesShell: true,
                writesFiles: false,
            }),
            contained: this.containedUnless(() => wasDenied(turn, command)),
            storeOutput: async () => undefined,
        };
        const rebase = async () => rebasedIn(rest);
        return files.inMode(turn.message.mode, place, this.conversation, rebase);
    }

    /** Adds a record, without secrets as in the recording. */
    private stored(given: JournalRecord): JournalRecord {
        const record = this.options.project.secrets.record(given);
        this.conversation.apply(record);
        const isChange = record.type === "entry_added" && record.entry.kind === "change";
        if (isChange) this.options.files.note(versionsAfter(record.entry.files));
        return record;
    }

    /**
     * A command that was denied in the recording before it ran does not run at all. What it does in
     * the git repository has no place in a view.
     */
    private containedUnless(isDenied: () => boolean): ContainedRuns {
        const { contained } = this.options;
        return {
            mode: contained.mode,
            get showsViews() {
                return contained.showsViews ?? false;
            },
            notice: async () => undefined,
            unavailable: async () => (isDenied() ? "It was denied." : contained.unavailable()),
            async run(command, folder, options) {
                const { repository, ...ran } = await contained.run(command, folder, options);
                return repository ? { ...ran, needs: "Changes the git repository" } : ran;
            },
        };
    }

    /** Applies edits of others, and of uncontained commands, before the calls that saw them. */
    private async bringFiles(turn: RecordedTurn, calls: readonly ToolCallPart[]): Promise<void> {
        const drafted = turn.message.mode === "draft" ? this.conversation.draft.view : new Map();
        for (const { callId } of calls) {
            const made = turn.changes.filter((change) => change.callId === callId);
            const changed = made.flatMap(({ files }) => files);
            const seen = turn.results.find((result) => result.callId === callId)?.observed ?? [];
            const own = new Set([...drafted.keys(), ...changed.map(({ path }) => path)]);
            for (const { path, hash } of seen) {
                if (!own.has(path)) await this.bring(path, { hash });
            }
            const before = new Map(changed.map((file) => [file.path, versionBefore(file)]));
            for (const file of changed) {
                if (!isCovered(file.path, before) && !drafted.has(file.path)) {
                    await this.bring(file.path, versionBefore(file));
                }
            }
            for (const { kind, files } of made) {
                if (kind === "change") this.know(versionsAfter(files));
            }
        }
    }

    private async bring(path: string, version: FileVersion): Promise<void> {
        const known = this.known.get(path);
        if (!known || known.hash === version.hash) return;
        this.known.set(path, version);
        await this.options.files.bring(path, version);
    }

    private know(files: FileVersions): void {
        for (const [path, version] of files) this.known.set(path, version);
    }

    /**
     * Applies what no call made: undos, drops, streamed files, changes of calls cut off by a cancel
     * or a kill, and what became of the draft. Removes what is due from `rest`.
     */
    private applyRest(rest: RecordedChange[], isDue: (change: RecordedChange) => boolean): void {
        for (const entry of rest.splice(0)) {
            if (!isDue(entry)) {
                rest.push(entry);
                continue;
            }
            this.conversation.apply({ type: "entry_added", entry });
            if (entry.kind === "drafted") continue;
            const after = versionsAfter(entry.files);
            this.know(after);
            this.options.files.set(after);
        }
    }
}

function versionsAfter(files: readonly ChangedFile[]): FileVersions {
    return new Map(files.map((file) => [file.path, versionAfter(file)]));
}

/** Whether it ended the draft, took it back, or put it on a changed project. */
function settlesDraft(change: RecordedChange): boolean {
    if (change.kind === "change") return change.applies !== undefined;
    return change.isRebase === true || change.undoes !== undefined;
}

/** What the user let the model resolve, if it is next. */
function rebasedIn(rest: readonly RecordedChange[]): RebasedDraft {
    const rebase = rest.find((change) => change.kind === "drafted" && change.isRebase);
    const { files = [] } = rebase ?? {};
    const conflicts = files.map(({ path }) => ({ path, text: path }));
    return { changeSet: { changes: [] }, files, merged: [], conflicts };
}

/** Whether it was denied without a contained run, whose output would be in its result. */
function wasDenied({ reviews, results }: RecordedTurn, command: string): boolean {
    return reviews.some(
        ({ subject, status, what, callId }) =>
            subject === "shell" &&
            status === "denied" &&
            what === command &&
            !results.some((result) => result.callId === callId && result.ok)
    );
}

const MODEL: ModelInfo = {
    id: "recorded",
    aliases: [],
    displayName: "Recorded",
    // No request leaves North, so no conversation is too long.
    contextTokens: Number.MAX_SAFE_INTEGER,
    maxOutputTokens: Number.MAX_SAFE_INTEGER,
};

const RECORDED: Omit<ModelHandle, "connection"> = {
    provider: {
        id: "recorded",
        displayName: "The recording",
        models: [MODEL],
        connect: () => Promise.reject(new Error("A recording is not connected to.")),
    },
    info: MODEL,
    thinking: { on: false },
    ledger: { record: () => {} },
};

const NO_GRANTS: TurnProject["grants"] = {
    snapshot: async () => ({
        editsAutoAccept: false,
        shellAutoApprove: false,
        allowedCommands: [],
        allowedKeys: [],
    }),
    allowCommand: async () => {},
    changes: NO_CHANGES,
    allowedSince: async () => undefined,
    renewCommand: async () => {},
    setAutomatic: async () => {},
    allowKey: async () => {},
};

/** A replay reaches no hosts. */
async function needOf(command: string): Promise<string | undefined> {
    const { facts } = await readCommand(command);
    return needIn(facts) ?? networkIn(facts);
}
