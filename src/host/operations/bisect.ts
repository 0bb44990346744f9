import { counted, firstWords } from "../../base/format.js";
import type { StoredContents } from "../../base/stored-contents.js";
import { typeAfter } from "../../plugin/change-set.js";
import { NorthError } from "../../base/north-error.js";
import { AppliedChanges, LINES_WITHOUT_CHANGES } from "../../core/history/applied-changes.js";
import { type FileVersions, type History, historyOf, viewOf } from "../../core/history/states.js";
import type { ChangeSet, FileChange, ShellOutcome } from "../../plugin/index.js";
import { createConversationStore } from "../../storage/conversations/conversations.js";
import { type CheckRequest, CHOOSE_ANOTHER, type RunCheck, withCheck } from "./check-in-view.js";
import { openStores, type ProjectStores } from "../open-stores.js";
import { currentVersion } from "../../workspace/current-file.js";
import { contentChange, hasEffect } from "../../core/draft/view.js";

interface BisectRequest extends CheckRequest {
    readonly id: string;
    /** The repository, if not the recorded one. */
    readonly path?: string;
}

/** What made the command fail: a turn, an edit by somebody else, or nothing here. */
export interface Bisected {
    readonly id: string;
    readonly command: string;
    readonly runs: number;
    readonly result: "turn" | "others" | "fails-from-the-start" | "never-fails";
    readonly turn?: number;
    readonly question?: string;
    readonly changeSet: ChangeSet;
    /** The end of the command's output in its first failing state. */
    readonly output: string;
}

interface State {
    readonly name: string;
    readonly files: FileVersions;
}

/** Finds the first turn after which a command fails, run contained in views of the states. */
export async function bisect(request: BisectRequest): Promise<Bisected> {
    const { id, command, directories } = request;
    const { history, recordedRoot } = await readHistory(directories.data, id);
    const folder = request.path ?? recordedRoot;
    const { root, contents } = await openStores(directories.data, folder);
    const { states, isEdited } = await statesOf(history, root);
    let runs = 0;
    let output = "";
    return withCheck(request, root, async (run) => {
        const failing = await firstFailure(states.length, async (index) => {
            const state = states[index];
            if (!state) throw new RangeError(`There is no state ${index}`);
            const outcome = await runAt(run, contents, state);
            runs += 1;
            const passes = outcome.exitCode === 0;
            if (!passes) output = outcome.stdout + outcome.stderr;
            return passes;
        });
        const changeSet = await changesBetween({ root, contents }, states, failing);
        const step = history.steps[failing - 1];
        const isLast = isEdited && failing === states.length - 1;
        const found = { id, command, runs, changeSet, output: output.slice(-OUTPUT_SHOWN) };
        if (failing === states.length) return { ...found, result: "never-fails", output: "" };
        if (failing === 0) return { ...found, result: "fails-from-the-start" };
        if (isLast || !step) return { ...found, result: "others" };
        const { number: turn, question } = step.turn;
        return { ...found, result: step.by, turn, question };
    });
}

const OUTPUT_SHOWN = 4_000;

async function readHistory(dataFolder: string, id: string) {
    const skip = LINES_WITHOUT_CHANGES;
    const { records } = await createConversationStore(dataFolder).read(id, { skip });
    const changes = new AppliedChanges(records);
    const history = historyOf(changes.all);
    if (history.steps.length > 0) return { history, recordedRoot: changes.root };
    throw new NorthError("no-changes", `Conversation ${id} has changed no files.`, [
        "`north conversations` lists others.",
    ]);
}

async function statesOf(history: History, root: string) {
    const states: State[] = [
        { name: "before the first turn", files: history.start },
        ...history.steps.map(({ by, turn, files }) => ({
            name: by === "turn" ? `after turn ${turn.number}` : `edited before turn ${turn.number}`,
            files,
        })),
    ];
    const last = states.at(-1)?.files ?? history.start;
    const now = new Map<string, { hash: string | null }>();
    for (const [path, { type, hash }] of last) {
        const current = (await currentVersion(root, path, type).catch(() => null))?.hash ?? null;
        if (current !== hash) now.set(path, { hash: current });
    }
    const isEdited = now.size > 0;
    // The current state needs no rebuild.
    if (isEdited) states.push({ name: "as it is now", files: new Map() });
    return { states, isEdited };
}

async function runAt(
    run: RunCheck,
    contents: StoredContents,
    { name, files }: State
): Promise<ShellOutcome> {
    const { outcome, obstacle } = await run({ files: viewOf(files), contents }, name);
    if (obstacle === undefined) return outcome;
    throw new NorthError("bisect-impossible", `The state ${name} cannot be tested: ${obstacle}.`, [
        CHOOSE_ANOTHER,
    ]);
}

/** Changes from the last passing state to the first failing one; empty if there is no such pair. */
async function changesBetween(
    { root, contents }: Pick<ProjectStores, "root" | "contents">,
    states: readonly State[],
    failing: number
): Promise<ChangeSet> {
    const [before, after] = [states[failing - 1]?.files, states[failing]?.files];
    const changes: FileChange[] = [];
    for (const [path, { type, hash, mode }] of (after && before) ?? []) {
        const next = after?.get(path);
        const bytes = next
            ? next.hash && (await contents.get(next.hash))
            : ((await currentVersion(root, path, type).catch(() => null))?.bytes ?? null);
        const old = hash === null ? null : await contents.get(hash);
        const newMode = next?.mode === mode ? undefined : next?.mode;
        changes.push(
            contentChange(
                path,
                { bytes: old, type: typeAfter({ type }) },
                { bytes: bytes || null, type: typeAfter(next ?? { type }) },
                newMode
            )
        );
    }
    return { changes: changes.filter(hasEffect) };
}

type TestState = (index: number) => Promise<boolean>;

/** The first failing state, or `count` if none fails, in at most `ceil(log2(count + 1))` tests. */
export async function firstFailure(count: number, passes: TestState): Promise<number> {
    let [low, high] = [0, count];
    while (low < high) {
        const middle = (low + high) >> 1;
        if (await passes(middle)) low = middle + 1;
        else high = middle;
    }
    return low;
}

export function bisectSentence({ result, turn, question = "", command, runs }: Bisected): string {
    const after = `after ${counted(runs, "run")}`;
    switch (result) {
        case "turn":
            return `Turn ${turn} is the first after which \`${command}\` fails (${after}): ${firstWords(question)}`;
        case "others":
            return turn === undefined
                ? `No turn: \`${command}\` has failed since the files were edited after the last turn (${after}).`
                : `No turn: \`${command}\` has failed since somebody else edited the files before turn ${turn} (${after}).`;
        case "fails-from-the-start":
            return `\`${command}\` already fails before the first turn (${after}).`;
        case "never-fails":
            return `\`${command}\` does not fail after any turn (${after}).`;
        default:
            return result satisfies never;
    }
}
