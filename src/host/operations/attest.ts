import { randomUUID } from "node:crypto";
import { isBinary } from "../../base/binary.js";
import { alignColumns } from "../../base/columns.js";
import { counted } from "../../base/format.js";
import { blobAt, gitText, requireGit } from "../../base/git.js";
import { NorthError } from "../../base/north-error.js";
import { visibleLine } from "../../base/safe-text.js";
import { sha256 } from "../../base/sha256.js";
import { linesOf } from "../../core/diff/hunks.js";
import type { AppliedChange } from "../../core/history/applied-changes.js";
import { blame } from "../../core/history/blame.js";
import {
    agentTraceOf,
    attestedFile,
    countIn,
    noteOf,
    type Receipt,
} from "../../core/history/receipt.js";
import { modelLinesOf } from "../../core/history/seen-lines.js";
import { checksOnTree, LINES_WITHOUT_CHECKS } from "../../core/history/tested-trees.js";
import { createSeenMarks } from "../../storage/seen-marks.js";
import { openStores } from "../open-stores.js";
import { NOTES, noteText } from "./git-notes.js";
import type { OnFile } from "./looking-for-lines.js";
import { linesAdded } from "./model-lines.js";
import { warn } from "../warn.js";
import { projectChanges, projectLogs } from "./project-changes.js";
import { requireIdentity, requireRepository } from "./require-repository.js";

export interface CommitPlace {
    readonly dataFolder: string;
    readonly folder: string;
    /** A branch, tag or commit. */
    readonly name: string;
}

/** What the log knows of a commit. Warns of logs that it could not read. Rejects with `not-a-repository` or `no-such-target`. */
export async function receiptOf(
    { dataFolder, folder, name }: CommitPlace,
    onFile: OnFile = () => {}
): Promise<Receipt> {
    const { root, contents } = await openStores(dataFolder, folder);
    await requireRepository(root, ["Go to a git repository, and try again."]);
    const show = ["log", "-1", "--format=%H %T %ct %P", "--end-of-options", name, "--"];
    const [commit = "", tree = "", seconds = "0", parent] = (
        (await gitText(root, ...show)) ?? ""
    ).split(" ");
    if (commit === "") {
        throw new NorthError("no-such-target", `There is no commit "${name}".`, [
            "`git log` lists the commits.",
        ]);
    }
    const base = parent === undefined || parent === "" ? undefined : parent;
    const from = base ?? (await requireGit(root, ["hash-object", "-t", "tree", "--stdin"])).trim();
    const listing = ["diff-tree", "-r", "-z", "--name-only", "--no-renames", "--diff-filter=AM"];
    const names = await requireGit(root, [...listing, from, commit]);
    const { withDrafts, warnings } = await projectChanges(dataFolder, root);
    warnings.forEach(warn);
    const marks = await createSeenMarks(dataFolder, root).all();
    // Models wrote in no others, however many the commit has.
    const paths = new Set(withDrafts.flatMap(({ change }) => change.files.map(({ path }) => path)));
    const wanted = names.split("\0").filter((path) => paths.has(path));
    const files = [];
    for (const [index, path] of wanted.sort().entries()) {
        onFile(index, wanted.length);
        const bytes = await blobAt(root, `${commit}:${path}`);
        if (!bytes || isBinary(bytes)) continue;
        const [hash, lines] = [sha256(bytes), linesOf(bytes)];
        const changes = changesUntil(withDrafts, path, hash, (Number(seconds) + 1) * 1_000);
        const { origins } = await blame({ path, bytes, hash, changes, contents });
        const isAdded = await linesAdded(root, base, path, lines);
        const added = modelLinesOf(origins, marks).filter(({ line }) => isAdded(line));
        if (added.length > 0) files.push(attestedFile(path, added));
    }
    const checks = checksOnTree(await checkRecords(dataFolder, root), tree);
    return { commit, tree, base: base ?? commit, files, checks };
}

async function checkRecords(dataFolder: string, root: string) {
    const records = [];
    for await (const log of projectLogs(dataFolder, root, LINES_WITHOUT_CHECKS)) {
        records.push(...log.records);
    }
    return records;
}

/** The changes that led to a file as committed: up to the one that left it so, else until the commit. */
function changesUntil(
    changes: readonly AppliedChange[],
    path: string,
    hash: string,
    time: number
): readonly AppliedChange[] {
    const at = changes.findLastIndex(
        ({ change, isDrafted }) =>
            !isDrafted && change.files.some((file) => file.path === path && file.afterHash === hash)
    );
    return at >= 0 ? changes.slice(0, at + 1) : changes.filter(({ change }) => change.at < time);
}

/** Lines by turn, after the counts. */
function receiptText({ commit, files, checks }: Receipt): string {
    const parts = files.flatMap(({ path, parts }) => parts.map((part) => ({ path, ...part })));
    const count = (some: typeof parts) => some.reduce((sum, part) => sum + countIn(part.lines), 0);
    const unseen = count(parts.filter(({ isSeen }) => !isSeen));
    const total = `${commit.slice(0, 10)}: ${counted(count(parts), "line")} by models, ${unseen} unseen`;
    const rows = parts.map(({ path, lines, provider, model, conversation, turn, isSeen }) =>
        [
            `${path}:${lines}`,
            `${provider}/${model}`,
            `${conversation} #${turn}`,
            isSeen ? "seen" : "unseen",
        ].map(visibleLine)
    );
    const ran = checks.map(
        ({ command, exitCode }) => `${visibleLine(command)}: exit ${exitCode} on exactly this tree`
    );
    return [total, ...alignColumns(rows), ...ran].join("\n");
}

export const RECEIPT_FORMATS = ["text", "note", "agent-trace"] as const;

/** `version` is North's. */
export function printedReceipt(
    receipt: Receipt,
    format: (typeof RECEIPT_FORMATS)[number],
    version: string
): string {
    if (format === "text") return receiptText(receipt);
    if (format === "note") return noteOf(receipt).trimEnd();
    const origin = { id: randomUUID(), at: Date.now(), version };
    return JSON.stringify(agentTraceOf(receipt, origin), null, 2);
}

/** Stores a receipt as the commit's note. Rejects with `note-exists` if another tool wrote one, or `no-git-identity`. */
export async function writeNote(
    { dataFolder, folder }: CommitPlace,
    receipt: Receipt
): Promise<void> {
    const { root } = await openStores(dataFolder, folder);
    const existing = await noteText(root, receipt.commit);
    if (existing !== undefined && !existing.includes('"tool": "north"')) {
        throw new NorthError("note-exists", "The commit has a note from another tool.", [
            `See it with \`git notes --ref=ai show\`, or remove it with \`git notes --ref=ai remove\`.`,
        ]);
    }
    await requireIdentity(root);
    const options = { input: noteOf(receipt) };
    await requireGit(
        root,
        ["notes", `--ref=${NOTES}`, "add", "-f", "-F", "-", receipt.commit],
        options
    );
}

export interface Verdict {
    readonly commit: string;
    readonly isTrue: boolean;
    /** Rows of the note that the log does not bear out, and rows that the note lacks. */
    readonly wrong: readonly string[];
    readonly missing: readonly string[];
}

/** Computes the note of a commit again and compares. Rejects with `no-note`, and like `receiptOf`. */
export async function verifyNote(place: CommitPlace, onFile?: OnFile): Promise<Verdict> {
    const receipt = await receiptOf(place, onFile);
    const { root } = await openStores(place.dataFolder, place.folder);
    const note = await noteText(root, receipt.commit);
    if (note === undefined) {
        throw new NorthError("no-note", `${receipt.commit.slice(0, 10)} has no receipt.`, [
            "Write one with `north attest --write`, or fetch them: `git fetch origin refs/notes/ai:refs/notes/ai`.",
        ]);
    }
    if (receipt.files.length === 0 && !note.startsWith("---")) {
        throw new NorthError(
            "not-verifiable",
            `The log on this machine has no lines of ${receipt.commit.slice(0, 10)}.`,
            ["Verify it on the machine that has the conversations."]
        );
    }
    const expected = noteOf(receipt);
    const [claimed, known] = [note.split("\n"), expected.split("\n")];
    return {
        commit: receipt.commit,
        isTrue: note === expected,
        wrong: claimed.filter((row) => !known.includes(row)),
        missing: known.filter((row) => !claimed.includes(row)),
    };
}

export function verdictText({ commit, isTrue, wrong, missing }: Verdict): string {
    const name = commit.slice(0, 10);
    if (isTrue) {
        return `The receipt of ${name} is valid: it matches the log here byte for byte.`;
    }
    return [
        `The receipt of ${name} does not match the log here.`,
        ...wrong.map((row) => `- ${row}`),
        ...missing.map((row) => `+ ${row}`),
    ].join("\n");
}
