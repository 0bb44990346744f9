import { Once } from "../../src/base/once.js";
import { createHash } from "node:crypto";
import type {
    AllowedCommand,
    ChangeSet,
    ModelInfo,
    Shell,
    Tool,
    Workspace,
} from "../../src/plugin/index.js";
import type { AgentEvent, TurnOutcome } from "../../src/core/agent/events.js";
import { runTurn } from "../../src/core/agent/turn/run-turn.js";
import type {
    ApplyOutcome,
    SessionMemory,
    Turn,
    TurnProject,
    TurnRequest,
    TurnSettings,
    User,
} from "../../src/core/agent/turn.js";
import type { ModelHandle } from "../../src/core/agent/model-handle.js";
import type { ChangeHistory } from "../../src/core/approval/changes.js";
import type { GrantSnapshot, Grants } from "../../src/core/approval/grants.js";
import type { ContentStore } from "../../src/core/conversation/content-store.js";
import type { OpenNested } from "../../src/core/agent/nested/run-nested.js";
import {
    ConversationLog,
    type ConversationLogOptions,
} from "../../src/core/conversation/conversation-log.js";
import { Conversation } from "../../src/core/conversation/fold.js";
import type { JournalRecord } from "../../src/plugin/records.js";
import type { CostRecord } from "../../src/core/costs/ledger.js";
import type { Staging } from "../../src/core/files/staging.js";
import { silentLog } from "../../src/core/log.js";
import { scriptedModelInfo, type ScriptedModel } from "./scripted-model.js";

/** A turn over in-memory ports, and what they recorded. */
export interface TurnHarness {
    readonly turn: Turn;
    readonly records: JournalRecord[];
    readonly costs: CostRecord[];
    readonly applied: ChangeSet[];
    readonly granted: { allowedCommands: AllowedCommand[]; allowedKeys: string[] };
    readonly delays: number[];
    readonly conversation: Conversation;
}

/** The parts of a turn by name, wherever the turn holds them. */
export interface HarnessOptions
    extends
        Partial<Omit<ModelHandle, "info">>,
        Partial<TurnProject>,
        Partial<User>,
        Partial<TurnSettings>,
        Partial<TurnRequest>,
        Partial<Pick<Turn, "checks" | "staging" | "nested" | "runtime" | "log" | "signal">>,
        Partial<Pick<SessionMemory, "runGrants">> {
    readonly model?: ModelInfo;
    readonly conversation?: Turn["conversation"];
    readonly granting?: Partial<GrantSnapshot>;
    /** An error is thrown. */
    readonly applyOutcome?: ApplyOutcome | Error;
    /** How many applies fail because the file has changed since the proposal. */
    readonly staleTimes?: number;
}

/** Opens in-memory logs for nested runs. */
export function nestedLogs(
    logs: ConversationLog[] = [],
    redact?: ConversationLogOptions["redact"]
): OpenNested {
    return (nested, names) => {
        const id = `nested-${logs.length + 1}`;
        const start = { id, root: "/project", rootHash: "", ...names, nested, at: 1 };
        const records = [{ type: "conversation_started", version: 1, ...start } as const];
        const journal = { append: () => {}, sync: async () => {}, close: async () => {} };
        const open = async () => ({ journal, records });
        const log = new ConversationLog(id, { open, observers: [], log: silentLog, redact });
        logs.push(log);
        return log;
    };
}

export function turnHarness(
    model: ScriptedModel,
    tools: readonly Tool[] = [],
    options: HarnessOptions = {}
): TurnHarness {
    const { granting, applyOutcome, staleTimes = 0 } = options;
    const records: JournalRecord[] = [];
    const costs: CostRecord[] = [];
    const applied: ChangeSet[] = [];
    const delays: number[] = [];
    const granted = { allowedCommands: [] as AllowedCommand[], allowedKeys: [] as string[] };
    const conversation = new Conversation();
    const record = (entry: JournalRecord) => {
        records.push(entry);
        conversation.apply(entry);
    };
    record({
        type: "conversation_started",
        version: 1,
        id: "abc123",
        root: "/project",
        rootHash: "0".repeat(16),
        provider: "scripted",
        model: scriptedModelInfo.id,
        at: 1,
    });
    let ids = 0;
    const turn: Turn = {
        conversation: options.conversation ?? {
            ...{ state: conversation, isOpen: true, record },
            ...{ observe: () => {}, sync: async () => {} },
        },
        model: {
            provider: options.provider ?? model.provider,
            info: options.model ?? scriptedModelInfo,
            thinking: options.thinking ?? { on: false },
            connection: options.connection ?? model,
            ledger: options.ledger ?? { record: (cost) => void costs.push(cost) },
            budget: options.budget,
        },
        project: {
            workspace: sharedWorkspace({ root: "/project" } as Workspace),
            shell: { cwd: "/project", resolve: async (cwd?: string) => cwd ?? "/project" } as Shell,
            forecast: async () => ({ consequences: [], backUp: async () => async () => undefined }),
            readChecks: async () => ({
                checks: [],
                hasOthers: false,
                leavesShell: true,
                writesFiles: false,
            }),
            applier: {
                resolve: async (changeSet) => ({ ...changeSet }),
                apply: async (changeSet, announce) => {
                    applied.push(changeSet);
                    if (applied.length <= staleTimes) return { kind: "stale", paths: ["a.txt"] };
                    const files = changeSet.changes.map(({ path }) => ({
                        path,
                        beforeHash: null,
                        afterHash: "after",
                    }));
                    await announce?.(files);
                    if (applyOutcome instanceof Error) throw applyOutcome;
                    return applyOutcome ?? { kind: "applied", files };
                },
            },
            contents: memoryContents(),
            storeOutput: async () => undefined,
            grants: memoryGrants(granting, granted),
            ...given(options, PROJECT_PARTS),
        },
        user: (options.approver ?? options.nextMessage) && {
            approver: options.approver ?? { decide: async () => ({ kind: "deny" }) },
            nextMessage: options.nextMessage,
        },
        settings: { mode: "agent", limits: {}, ...given(options, SETTINGS) },
        request: {
            message: { text: "hello", content: [{ type: "text", text: "hello" }] },
            system: "You are a test.",
            tools: new Map(tools.map((tool) => [tool.name, tool])),
            schemas: tools.map(({ name, description, inputSchema }) => ({
                name,
                description,
                inputSchema,
            })),
            ...given(options, REQUEST_PARTS),
        },
        checks: options.checks,
        staging: options.staging ?? memoryStaging(),
        nested: options.nested,
        session: {
            runGrants: options.runGrants ?? { acceptEdits: false, approveShell: false },
            once: new Once(),
        },
        log: options.log ?? silentLog,
        runtime: options.runtime ?? {
            now: () => 1_000,
            id: () => `id-${(ids += 1)}`,
            random: () => 0.5,
            sleep: async (milliseconds) => void delays.push(milliseconds),
        },
        signal: options.signal ?? new AbortController().signal,
    };
    return { turn, records, costs, applied, granted, delays, conversation };
}

const PROJECT_PARTS = [
    ...([
        "workspace",
        "shell",
        "jobs",
        "contained",
        "forecast",
        "readChecks",
        "applier",
        "contents",
    ] as const),
    ...(["grants", "storeOutput", "editedElsewhere", "contextFor"] as const),
] as const;
const SETTINGS = ["mode", "limits", "results", "nestedModel", "isNested"] as const;
const REQUEST_PARTS = [
    ...(["message", "system", "tools", "schemas", "hasPauses", "cacheKey"] as const),
] as const;

/** Those of the named options that are given. */
function given<Options extends object, Name extends keyof Options>(
    options: Options,
    names: readonly Name[]
): Partial<Pick<Options, Name>> {
    const entries = names.filter((name) => name in options).map((name) => [name, options[name]]);
    return Object.fromEntries(entries) as Partial<Pick<Options, Name>>;
}

/** A shared workspace that neither asks nor notifies. */
export function sharedWorkspace(workspace: Workspace): TurnProject["workspace"] {
    const shared = { readBy: () => workspace, inView: () => Object.assign(workspace, shared) };
    return Object.assign(workspace, shared);
}

function memoryContents(): ContentStore {
    const kept = new Map<string, Uint8Array>();
    const put = async (bytes: Uint8Array) => {
        const hash = createHash("sha256").update(bytes).digest("hex");
        kept.set(hash, bytes);
        return hash;
    };
    return {
        put,
        async putAll(contents) {
            for (const bytes of contents) await this.put(bytes);
        },
        get: async (hash) => kept.get(hash) ?? Promise.reject(new Error(`Not kept: ${hash}`)),
    };
}

/** In-memory staging. */
export function memoryStaging(texts = new Map<string, string>()): Staging {
    return {
        begin: (path) => void texts.set(path, ""),
        append: (path, text) => void texts.set(path, (texts.get(path) ?? "") + text),
        read: (path) => texts.get(path),
        remove: (path) => void texts.delete(path),
        paths: () => [...texts.keys()].sort(),
        place: (path) => `/staging/${path}`,
    };
}

/** An in-memory history of the model's changes; a mark is their number. */
export function memoryChanges(): ChangeHistory {
    const changed: (readonly string[] | undefined)[] = [];
    return {
        mark: async () => String(changed.length),
        filesSince: async (mark) => {
            const later = changed.slice(Number(mark ?? 0));
            const isKnown = mark !== undefined && !later.includes(undefined);
            return isKnown ? new Set(later.flatMap((paths) => paths ?? [])).size : Infinity;
        },
        add: async (paths) => {
            const before = String(changed.length);
            return { before, after: String(changed.push(paths)) };
        },
    };
}

function memoryGrants(
    granting: Partial<GrantSnapshot> | undefined,
    granted: TurnHarness["granted"]
): Grants {
    const changes = memoryChanges();
    const since = new Map<string, string>();
    const automatic = { editsAutoAccept: false, shellAutoApprove: false, ...granting };
    return {
        snapshot: async () => ({
            ...automatic,
            allowedCommands: [...(granting?.allowedCommands ?? []), ...granted.allowedCommands],
            allowedKeys: [...(granting?.allowedKeys ?? []), ...granted.allowedKeys],
        }),
        changes,
        allowCommand: async (command, mark) => {
            granted.allowedCommands.push(command);
            since.set(JSON.stringify(command), mark ?? (await changes.mark()) ?? "");
        },
        allowedSince: async (command) => since.get(JSON.stringify(command)) ?? "0",
        renewCommand: async (command, mark) => void since.set(JSON.stringify(command), mark),
        removeCommand: async () => true,
        clearCommands: async () => 0,
        setAutomatic: async (change) => void Object.assign(automatic, change),
        allowKey: async (key) => void granted.allowedKeys.push(key),
        removeKey: async () => true,
        unconfirmed: async () => [],
        confirm: async () => {},
        decline: async () => {},
    };
}

/** Runs a turn to its end. */
export async function drain(turn: Turn): Promise<{ events: AgentEvent[]; outcome: TurnOutcome }> {
    const events: AgentEvent[] = [];
    for await (const event of runTurn(turn)) events.push(event);
    const last = events.at(-1);
    if (last?.type !== "turn-finished") throw new Error("The turn did not finish.");
    return { events, outcome: last.outcome };
}
