import path from "node:path";
import { NorthError } from "../base/north-error.js";
import type { MemoryEntry } from "../plugin/index.js";
import { projectFolder } from "./files/directories.js";
import { withLock } from "./files/file-lock.js";
import { type JsonRecord, readJson, setAside, updateJson } from "./files/json-file.js";
import {
    northFilePath,
    readNorthFile,
    unsafeError,
    writeNorthFile,
} from "./grants/north-folder.js";
import type { Report } from "./files/storage-error.js";

const LONGEST_ENTRY = 2_000;
const MOST_ENTRIES = 100;

/** What North was told to remember, in this project and everywhere. */
export interface MemoryStore {
    /** The project's entries, then the global ones, each in the order in which they were added. */
    list(): Promise<readonly MemoryEntry[]>;
    /** Rejects with `invalid-memory` for what is empty, too long, or one too many. */
    add(entry: MemoryEntry): Promise<void>;
    /** Resolves with `false` where there is no such entry. */
    remove(entry: MemoryEntry): Promise<boolean>;
}

export interface MemoryOptions {
    readonly root: string;
    readonly dataFolder: string;
    readonly report: Report;
}

type Change = (entries: readonly unknown[]) => readonly unknown[];

/** `REPO/.north/memory.json` and `DATA/memory.json`: `{"entries": [{"text", "addedAt"}]}`. */
export function createMemoryStore(options: MemoryOptions): MemoryStore {
    const { root, dataFolder } = options;
    const globalFile = path.join(dataFolder, "memory.json");
    // In the home folder itself both would be one file.
    const hasProject = northFilePath(root, "memory.json") !== globalFile;
    const change = (scope: MemoryEntry["scope"], edit: Change) =>
        scope === "project" && hasProject
            ? changeProject(options, edit)
            : updateJson(globalFile, options, (value) => {
                  value.entries = edit(entriesOf(value));
              });
    return {
        async list() {
            const [own, shared] = await Promise.all([
                hasProject ? readProject(root) : [],
                readGlobal(globalFile),
            ]);
            return [
                ...textsOf(own).map((text) => ({ scope: "project" as const, text })),
                ...textsOf(shared).map((text) => ({ scope: "global" as const, text })),
            ];
        },
        async add({ scope, text }) {
            const trimmed = sensible(text);
            const added = { text: trimmed, addedAt: new Date().toISOString() };
            await change(scope, (entries) => {
                if (entries.length >= MOST_ENTRIES) throw invalid("there is no room for more");
                return textsOf(entries).includes(trimmed) ? entries : [...entries, added];
            });
        },
        async remove({ scope, text }) {
            let isFound = false;
            await change(scope, (entries) => {
                const place = entries.findIndex((entry) => textOf(entry) === text);
                isFound = place >= 0;
                return entries.filter((_entry, index) => index !== place);
            });
            return isFound;
        },
    };
}

async function readProject(root: string): Promise<readonly unknown[]> {
    const file = await readNorthFile(root, "memory.json");
    return file.kind === "value" ? entriesOf(file.value) : [];
}

async function readGlobal(file: string): Promise<readonly unknown[]> {
    const found = await readJson(file);
    return found.kind === "value" ? entriesOf(found.value) : [];
}

/** The lock lies in North's own folder: nothing is made in a repository that a link may lead out of. */
async function changeProject({ root, dataFolder, report }: MemoryOptions, edit: Change) {
    const file = northFilePath(root, "memory.json");
    await withLock(path.join(projectFolder(dataFolder, root), "memory"), async (lease) => {
        const found = await readNorthFile(root, "memory.json");
        if (found.kind === "unsafe") throw unsafeError(file, found.reason);
        if (found.kind === "corrupt") {
            report(
                `${file} could not be read (${found.reason}); it is now ${await setAside(file)}.`
            );
        }
        const value = found.kind === "value" ? found.value : {};
        const content: JsonRecord = { ...value, entries: edit(entriesOf(value)) };
        await writeNorthFile(root, "memory.json", {
            content,
            assertHeld: () => lease.assertHeld(),
        });
    });
}

function entriesOf({ entries }: JsonRecord): readonly unknown[] {
    return Array.isArray(entries) ? entries : [];
}

function textsOf(entries: readonly unknown[]): string[] {
    return entries
        .flatMap((entry) => textOf(entry) ?? [])
        .filter((text) => text.trim() !== "" && text.length <= LONGEST_ENTRY)
        .slice(0, MOST_ENTRIES);
}

/** People edit the file by hand: a plain text is an entry too. */
function textOf(entry: unknown): string | undefined {
    if (typeof entry === "string") return entry;
    if (typeof entry !== "object" || entry === null || !("text" in entry)) return undefined;
    return typeof entry.text === "string" ? entry.text : undefined;
}

function sensible(text: string): string {
    const trimmed = text.trim();
    if (trimmed === "") throw invalid("the text is empty");
    if (trimmed.length > LONGEST_ENTRY) {
        throw invalid(`the text is over ${LONGEST_ENTRY} characters`);
    }
    return trimmed;
}

function invalid(why: string): NorthError {
    return new NorthError("invalid-memory", `This cannot be remembered: ${why}.`, [
        "Keep memory short, and remove with `/memory remove N` what no longer matters.",
    ]);
}
