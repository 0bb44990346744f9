import { randomBytes } from "node:crypto";
import { appendFile, readFile } from "node:fs/promises";
import path from "node:path";
import { jsonIn } from "../../base/fields.js";
import type { ChangeHistory, ChangeMark } from "../../core/approval/changes.js";
import { writeFileAtomically } from "../files/atomic-file.js";
import { projectFolder } from "../files/directories.js";
import { withLock } from "../files/file-lock.js";
import { asWriteError, readOr, type Report } from "../files/storage-error.js";
import { belongingOf, claimProjectFolder, type ProjectFolder } from "./project-folder.js";

const NAME = "changes.jsonl";
/** A longer history is started again, which ends every earlier permission. */
const MAX_BYTES = 1024 * 1024;
/** A larger change names its first files and counts the others. */
const MAX_NAMED = 1_000;
/** The point before the first change of a clone. */
const START: ChangeMark = "start";

/**
 * A file outside the repository that only grows: first a random id, then a line for each change, so
 * its size is a counter that costs one read and no lock. A mark is the id and the size.
 */
export function createChangeHistory(project: ProjectFolder, report?: Report): ChangeHistory {
    const file = path.join(projectFolder(project.dataFolder, project.root), NAME);
    // Another clone's history says nothing about this one; `add` sets it aside.
    const current = async () =>
        (await belongingOf(project)) === "this-clone" ? readHistory(file) : undefined;
    return {
        async mark() {
            const history = await current().catch(() => null);
            return history === null ? undefined : markOf(history);
        },
        async filesSince(mark) {
            const history = await current().catch(() => null);
            return history === null || mark === undefined ? Infinity : filesAfter(mark, history);
        },
        async add(paths) {
            await claimProjectFolder(project, report);
            return withLock(file, async ({ assertHeld }) => {
                try {
                    const history = await readHistory(file);
                    await assertHeld();
                    const before = markOf(history);
                    const line = Buffer.from(`${JSON.stringify(entryOf(paths))}\n`);
                    return { before, after: await append(file, history, line) };
                } catch (error) {
                    throw asWriteError(error, file);
                }
            });
        },
    };
}

/** The bytes of a history; `undefined` before the first change. */
type HistoryBytes = Buffer | undefined;

async function readHistory(file: string): Promise<HistoryBytes> {
    return readOr(readFile(file), file, undefined);
}

function idOf(history: Buffer): string {
    return history.subarray(0, Math.max(history.indexOf("\n"), 0)).toString();
}

function markOf(history: HistoryBytes): ChangeMark {
    return history === undefined ? START : `${idOf(history)} ${history.length}`;
}

async function append(file: string, history: HistoryBytes, line: Buffer): Promise<ChangeMark> {
    if (history !== undefined && idOf(history) !== "" && history.length < MAX_BYTES) {
        // After a crash of the machine the last line may be torn.
        const bytes = history.at(-1) === 10 ? line : Buffer.concat([Buffer.from("\n"), line]);
        await appendFile(file, bytes, { mode: 0o600, flush: true });
        return `${idOf(history)} ${history.length + bytes.length}`;
    }
    const started = Buffer.concat([Buffer.from(`${randomBytes(8).toString("hex")}\n`), line]);
    await writeFileAtomically(file, started);
    return markOf(started);
}

/** Paths and a number of files that are not named; `null` if nothing is known. */
function entryOf(paths: readonly string[] | undefined): readonly (string | number)[] | null {
    if (paths === undefined) return null;
    const unnamed = paths.length - MAX_NAMED;
    return [...paths.slice(0, MAX_NAMED), ...(unnamed > 0 ? [unnamed] : [])];
}

function filesAfter(mark: ChangeMark, history: HistoryBytes): number {
    if (history === undefined) return mark === START ? 0 : Infinity;
    const [id, size] = mark === START ? [idOf(history), 0] : mark.split(" ", 2);
    const from = Number(size);
    if (id !== idOf(history) || !(from <= history.length)) return Infinity;
    // Without its first line, the id.
    const start = from === 0 ? id.length + 1 : from;
    return countFiles(history.subarray(start).toString());
}

function countFiles(lines: string): number {
    const named = new Set<string>();
    let unnamed = 0;
    for (const line of lines.split("\n").filter(Boolean)) {
        // A torn line is a change of unknown files.
        const entry = jsonIn(line);
        if (!Array.isArray(entry)) return Infinity;
        for (const part of entry) {
            if (typeof part === "number") unnamed += part;
            else named.add(String(part));
        }
    }
    return named.size + unnamed;
}
