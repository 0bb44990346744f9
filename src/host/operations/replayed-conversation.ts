import { Once } from "../../base/once.js";
import { untilAborted } from "../../base/waiting.js";
import { runTurn } from "../../core/agent/turn/run-turn.js";
import {
    type ModelHandle,
    type Turn,
    type TurnProject,
    TurnStopped,
} from "../../core/agent/turn.js";
import type { ContainedRuns } from "../../core/approval/contained-runs.js";
import { Conversation } from "../../core/conversation/fold.js";
import { NO_CHANGES } from "../../core/approval/changes.js";
import type { ContentStore } from "../../core/conversation/content-store.js";
import { compareResults } from "../../core/history/compare-results.js";
import {
    finishedCalls,
    recordedModel,
    type RecordedTurn,
} from "../../core/history/recorded-turns.js";
import {
    type FileVersion,
    type FileVersions,
    isCovered,
    versionAfter,
    versionBefore,
} from "../../core/history/states.js";
import type { Staging } from "../../core/files/staging.js";
import { silentLog } from "../../core/log.js";
import type { ModelInfo, Tool, ToolCallPart } from "../../plugin/index.js";
import type { ChangeEntry, JournalRecord, ToolResultEntry } from "../../plugin/records.js";
import type { WithheldSecrets } from "../project/withheld-secrets.js";
import { systemRuntime } from "../runtime.js";
import { recordedApprover, replayedTools } from "./recorded-approver.js";
import { needIn, networkIn, readCommand } from "../../code/commands/read-command.js";
import type { ScratchCopy } from "./scratch-copy.js";

interface Difference {
    readonly turn: number;
    /** `Editing a.ts` */
    readonly call: string;
    readonly kind: "result" | "files" | "missing";
    readonly recorded: unknown;
    readonly replayed: unknown;
}

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
    readonly recorded: ContentStore;
    readonly scratch: ScratchCopy;
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
        this.conversation.root = options.scratch.root;
    }

    async turn(recorded: RecordedTurn): Promise<void> {
        const stop = new AbortController();
        const signal = AbortSignal.any([this.options.signal, stop.signal]);
        const comparison = new TurnComparison(recorded, this.options);
        const skipped = new Set<string>();
        const { message } = recorded;
        let command = "";
        const turn: Turn = {
            conversation: {
                state: this.conversation,
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
                    prepare: (calls) => this.bringFiles(recorded, calls),
                    stop: () => stop.abort(new TurnStopped("cancelled")),
                }),
            },
            project: {
                ...this.options.project,
                grants: NO_GRANTS,
                forecast: async (wanted) => {
                    command = wanted;
                    const needs = await needOf(wanted);
                    return { consequences: [], needs, backUp: async () => async () => undefined };
                },
                readChecks: async () => ({ checks: [], hasOthers: false, writes: () => false }),
                contained: this.containedUnless(() => wasDenied(recorded, command)),
                storeOutput: async () => undefined,
            },
            user: {
                approver: recordedApprover(recorded, {
                    contents: this.options.recorded,
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
            once: new Once(),
            log: silentLog,
            runtime: {
                ...systemRuntime,
                sleep: (_milliseconds, signal) => untilAborted(Promise.resolve(), signal),
            },
            runGrants: { acceptEdits: false, approveShell: false },
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
        await this.applyRest(recorded);
    }

    /** Adds a record, without secrets as in the recording. */
    private stored(given: JournalRecord): JournalRecord {
        const record = this.options.project.secrets.record(given);
        this.conversation.apply(record);
        return record;
    }

    /** A command that was denied in the recording before it ran does not run at all. */
    private containedUnless(isDenied: () => boolean): ContainedRuns {
        const { contained } = this.options;
        return {
            mode: contained.mode,
            notice: async () => undefined,
            unavailable: async () => (isDenied() ? "It was denied." : contained.unavailable()),
            run: (command, folder, options) => contained.run(command, folder, options),
        };
    }

    /** Applies edits of others, and of uncontained commands, before the calls that saw them. */
    private async bringFiles(turn: RecordedTurn, calls: readonly ToolCallPart[]): Promise<void> {
        for (const { callId } of calls) {
            const changed = turn.changes
                .filter((change) => change.callId === callId)
                .flatMap(({ files }) => files);
            const seen = turn.results.find((result) => result.callId === callId)?.observed ?? [];
            const own = new Set(changed.map(({ path }) => path));
            for (const { path, hash } of seen) {
                if (!own.has(path)) await this.bring(path, { hash });
            }
            const before = new Map(changed.map((file) => [file.path, versionBefore(file)]));
            for (const file of changed) {
                if (!isCovered(file.path, before)) {
                    await this.bring(file.path, versionBefore(file));
                }
                this.known.set(file.path, versionAfter(file));
            }
        }
    }

    private async bring(path: string, version: FileVersion): Promise<void> {
        const { scratch, recorded } = this.options;
        const known = this.known.get(path);
        if (!known || known.hash === version.hash) return;
        this.known.set(path, version);
        // Contents that no change starts from or leads to are not stored.
        await scratch.write(path, version, recorded).catch(() => {});
    }

    /** Applies undos, drops, streamed files, and changes of calls cut off by a cancel or a kill. */
    private async applyRest(turn: RecordedTurn): Promise<void> {
        const { scratch, recorded } = this.options;
        const made = new Set(
            turn.replies.flatMap((reply) => finishedCalls(reply, turn)).map(({ callId }) => callId)
        );
        for (const { callId, files } of turn.changes) {
            if (callId !== undefined && made.has(callId)) continue;
            const after = new Map(files.map((file) => [file.path, versionAfter(file)]));
            for (const [path, version] of after) this.known.set(path, version);
            await scratch.writeAll(after, recorded);
        }
    }
}

class TurnComparison {
    compared = 0;
    difference: Difference | undefined;
    private readonly results: ToolResultEntry[];
    private readonly changes: ChangeEntry[];

    constructor(
        private readonly turn: RecordedTurn,
        private readonly options: ReplayOptions
    ) {
        const finished = turn.replies.flatMap((reply) => finishedCalls(reply, turn));
        const ids = new Set(finished.map(({ callId }) => callId));
        this.results = turn.results.filter(({ callId }) => ids.has(callId));
        this.changes = turn.changes.filter(({ callId }) => callId !== undefined && ids.has(callId));
    }

    add(record: JournalRecord, skipped: ReadonlySet<string>): void {
        if (record.type !== "entry_added" || this.difference) return;
        const { entry } = record;
        if (entry.kind === "change") this.addChange(entry);
        if (entry.kind === "tool_result") this.addResult(entry, skipped);
    }

    /** Reports a recorded call that did not happen again. */
    end(skipped: ReadonlySet<string>): void {
        const missing = this.results.find(({ callId }) => !skipped.has(callId));
        if (!missing || this.difference) return;
        const { intent: call, content: recorded } = missing;
        this.tell({ call, kind: "missing", recorded, replayed: null });
    }

    private addResult(entry: ToolResultEntry, skipped: ReadonlySet<string>): void {
        const index = this.results.findIndex(({ callId }) => callId === entry.callId);
        const [before] = index < 0 ? [] : this.results.splice(index, 1);
        if (!before || skipped.has(entry.callId)) return;
        const { scratch, recordedRoot, project } = this.options;
        this.compared += 1;
        // What is a secret now may not have been one when it was recorded.
        const clean = project.secrets.result(before);
        const { isEqual, ...both } = compareResults(clean, entry, (text) =>
            text.replaceAll(scratch.root, recordedRoot)
        );
        if (isEqual) return;
        this.tell({ call: before.intent, kind: "result", ...both });
    }

    private addChange(entry: ChangeEntry): void {
        const index = this.changes.findIndex(({ callId }) => callId === entry.callId);
        const [before] = index < 0 ? [] : this.changes.splice(index, 1);
        if (!before) return;
        const [recorded, replayed] = [before, entry].map(({ files }) =>
            files.map(({ path, afterHash }) => ({ path, afterHash }))
        );
        if (JSON.stringify(recorded) === JSON.stringify(replayed)) return;
        const result = this.turn.results.find(({ callId }) => callId === before.callId);
        const call = result?.intent ?? "a change";
        this.tell({ call, kind: "files", recorded, replayed });
    }

    private tell(difference: Omit<Difference, "turn">): void {
        this.difference = { turn: this.turn.number, ...difference };
    }
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
