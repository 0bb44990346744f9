import { cpSync, rmSync } from "node:fs";
import path from "node:path";
import type { TurnOutcome } from "../../src/core/agent/events.js";
import { NestedRuns } from "../../src/core/agent/nested/run-nested.js";
import type { Turn, TurnLimits, TurnProject } from "../../src/core/agent/turn.js";
import { runTurn } from "../../src/core/agent/turn/run-turn.js";
import type { ApprovalRequest, Decision } from "../../src/core/approval/approver.js";
import { NO_CHANGES } from "../../src/core/approval/changes.js";
import { type ContainedRuns, NO_OUTPUTS } from "../../src/core/approval/contained-runs.js";
import type { ConversationLog } from "../../src/core/conversation/conversation-log.js";
import { Conversation } from "../../src/core/conversation/fold.js";
import type { CostRecord } from "../../src/core/costs/ledger.js";
import { changeSetOf, type StoredView } from "../../src/core/draft/view.js";
import { projectInMode } from "../../src/host/session/drafted-project.js";
import { prepareUndo } from "../../src/host/operations/undo-changes.js";
import type { Mode, ModelConnection, Tool } from "../../src/plugin/index.js";
import type { ToolResultEntry } from "../../src/plugin/records.js";
import * as builtinTools from "../../src/builtin/tools.js";
import { createObjectStore } from "../../src/storage/files/object-store.js";
import { createChangeApplier } from "../../src/workspace/apply/apply-change-set.js";
import { openWorkspace } from "../../src/workspace/open-workspace.js";
import { makeFolder } from "../workspace/make-folder.js";
import { changesBetween, type Step, take } from "./random-changes.js";
import { ScriptedModel, type ScriptedReply } from "./scripted-model.js";
import { nestedLogs, turnHarness } from "./turn.js";

const TOOLS: readonly Tool[] = Object.values(builtinTools);

/** A copy of a folder with everything in it. */
export function copyOf(root: string): string {
    const copy = path.join(makeFolder(), path.basename(root));
    cpSync(root, copy, { recursive: true, verbatimSymlinks: true, preserveTimestamps: true });
    return copy;
}

/** The project as a view shows it, as a folder of its own. */
export async function folderOf(root: string, { files, contents }: StoredView): Promise<string> {
    const copy = copyOf(root);
    const outcome = await createChangeApplier({ root: copy }).apply(
        await changeSetOf(files, contents)
    );
    if (outcome.kind === "stale") throw new Error(`Not as it was: ${outcome.paths.join(", ")}`);
    return copy;
}

/** A stand-in for contained runs: a command is steps as JSON, taken in a copy of what it sees. */
export function stepRuns(root: string): ContainedRuns {
    const none = { files: new Map(), contents: { get: () => Promise.reject(new Error("none")) } };
    return {
        ...{ mode: "auto", showsViews: true },
        unavailable: async () => undefined,
        notice: async () => undefined,
        async run(command, _folder, { view = none }) {
            const before = await folderOf(root, view);
            const after = copyOf(before);
            take(after, stepsIn(command));
            const { changes, contents } = changesBetween(before, after);
            const effects = (await changeSetOf(changes, contents)).changes;
            for (const folder of [before, after]) {
                rmSync(path.dirname(folder), { recursive: true, force: true });
            }
            const streams = { stdout: "", stderr: "", exitCode: 0, durationMs: 1 };
            const outcome = { ...streams, timedOut: false, cancelled: false, truncated: false };
            return { outcome, effects, notes: [], outputs: NO_OUTPUTS, keep: () => [] };
        },
    };
}

export function commandOf(steps: readonly Step[]): string {
    return JSON.stringify(steps);
}

function stepsIn(command: string): readonly Step[] {
    const steps: (Step & { content?: { data: number[] } })[] = JSON.parse(command);
    return steps.map((step) =>
        step.kind === "write" ? { ...step, content: Buffer.from(step.content) } : step
    );
}

/** A conversation over a real folder, with a scripted model and real tools. */
export class Drafting {
    readonly conversation = new Conversation();
    readonly contents = createObjectStore(path.join(makeFolder(), "data"));
    readonly logs: ConversationLog[] = [];
    readonly costs: CostRecord[] = [];
    outcome: TurnOutcome | undefined;
    private ids = 0;

    constructor(
        readonly root: string,
        private readonly mode: Mode,
        private readonly options: {
            readonly contained: ContainedRuns;
            readonly useRipgrep?: boolean;
            /** The model in sub-agents that write. */
            readonly subAgent?: ModelConnection["stream"];
            readonly limits?: TurnLimits;
            readonly signal?: AbortSignal;
        }
    ) {
        this.conversation.id = `${mode}-conversation`;
    }

    /** Resolves to the results of the turn's calls. */
    async turn(
        replies: ScriptedReply[],
        decide: (request: ApprovalRequest) => Decision
    ): Promise<readonly ToolResultEntry[]> {
        const { mode, contents, root, conversation } = this;
        const { useRipgrep = true, contained, subAgent, limits = {}, signal } = this.options;
        const from = conversation.entries.length;
        const runtime = {
            now: () => Date.now(),
            id: () => this.id(),
            random: () => 0.5,
            sleep: async () => {},
        };
        const model = new ScriptedModel(replies);
        const stream: ModelConnection["stream"] = (request, more) => {
            const isNested = request.system.includes("<sub_agent>");
            return isNested && subAgent ? subAgent(request, more) : model.stream(request, more);
        };
        const { turn } = turnHarness(model, TOOLS, {
            ...{ mode, runtime, contents, contained, limits, connection: { ...model, stream } },
            ...(signal && { signal }),
            approver: { decide: async (request) => decide(request) },
            workspace: openWorkspace({ root, useRipgrep }),
            applier: createChangeApplier({ root }),
            conversation: {
                state: conversation,
                isOpen: true,
                record: (record) => conversation.apply(record),
                observe: () => {},
                sync: async () => {},
            },
        });
        const shell = { ...turn.project.shell, cwd: root, resolve: async () => root };
        const own: TurnProject = { ...turn.project, shell };
        const inMode = projectInMode(mode, conversation, undefined, own);
        const ledger = { record: (cost: CostRecord) => void this.costs.push(cost) };
        const runs: NestedRuns = new NestedRuns(() => whole, {
            open: nestedLogs(this.logs),
            ledger,
        });
        const whole: Turn = {
            ...turn,
            model: { ...turn.model, ledger: runs.ledger },
            project: inMode,
            nested: runs.run,
        };
        for await (const event of runTurn(whole)) {
            if (event.type === "turn-finished") this.outcome = event.outcome;
            if (event.type !== "turn-finished" || event.outcome.error === undefined) continue;
            throw new Error("The turn failed.", { cause: event.outcome.error });
        }
        model.assertDone();
        return conversation.entries
            .slice(from)
            .filter((entry): entry is ToolResultEntry => entry.kind === "tool_result");
    }

    async undo(turns?: number): Promise<void> {
        const { root, contents, conversation } = this;
        const applier = createChangeApplier({ root });
        const host = {
            root,
            runtime: { now: () => Date.now(), id: () => this.id() },
            project: { contents, applier, grants: { changes: NO_CHANGES } },
            conversation: {
                record: conversation.apply.bind(conversation),
                sync: async () => {},
            },
        };
        await (await prepareUndo(host, conversation.entries, turns)).apply();
    }

    private id(): string {
        return `${this.mode}-${(this.ids += 1)}`;
    }
}
