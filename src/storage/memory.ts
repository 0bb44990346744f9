import path from "node:path";
import { NorthError } from "../base/north-error.js";
import { Once } from "../base/once.js";
import type { MemoryEntry } from "../plugin/index.js";
import { type JsonRecord, readJson, updateJson } from "./files/json-file.js";
import { noteIn } from "./grants/grant-values.js";
import type { ProjectNotes } from "./grants/grants.js";
import { northFilePath } from "./grants/north-folder.js";
import type { Report } from "./files/storage-error.js";

const MAX_ENTRY_LENGTH = 2_000;
const MAX_ENTRIES = 100;

export type MemoryStore = ReturnType<typeof createMemoryStore>;

/** `{"entries": [{"text", "addedAt"}]}` in DATA, and in `.north`, where it needs trust. */
export function createMemoryStore(options: {
    readonly root: string;
    readonly dataFolder: string;
    readonly report: Report;
    readonly notes: ProjectNotes;
}) {
    const { root, dataFolder, notes: project } = options;
    const globalFile = path.join(dataFolder, "memory.json");
    // In the home folder both would be the same file.
    const hasProject = northFilePath(root, "memory.json") !== globalFile;
    const reported = new Once();
    const readGlobal = async (): Promise<readonly unknown[]> => {
        const found = await readJson(globalFile);
        if (found.kind === "corrupt" && reported.first(found.reason)) {
            options.report(`${globalFile} is damaged (${found.reason}): its notes are not used.`);
        }
        return found.kind === "value" ? entriesOf(found.value) : [];
    };
    const notes = async () => (hasProject ? within(await project.notes()) : []);
    const changeGlobal = (edit: (entries: readonly unknown[]) => readonly unknown[]) =>
        updateJson(globalFile, options, (value) => {
            value.entries = edit(entriesOf(value));
        });
    return {
        /** The project's entries, then the global ones, each in order of addition. */
        async list(): Promise<readonly MemoryEntry[]> {
            const [own, shared] = await Promise.all([notes(), readGlobal()]);
            return [
                ...own.map((text) => ({ scope: "project" as const, text })),
                ...textsOf(shared).map((text) => ({ scope: "global" as const, text })),
            ];
        },
        /** Rejects with `invalid-memory` if the entry is empty, too long, or one too many. */
        async add({ scope, text }: MemoryEntry): Promise<void> {
            const trimmed = sensible(text);
            if (scope === "project" && hasProject) {
                requireRoom(await notes());
                return project.addNote(trimmed);
            }
            const added = { text: trimmed, addedAt: new Date().toISOString() };
            await changeGlobal((entries) => {
                requireRoom(entries);
                return textsOf(entries).includes(trimmed) ? entries : [...entries, added];
            });
        },
        /** Resolves with `false` if there is no such entry. */
        async remove({ scope, text }: MemoryEntry): Promise<boolean> {
            if (scope === "project" && hasProject) return project.removeNote(text);
            let isFound = false;
            await changeGlobal((entries) => {
                const position = entries.findIndex((entry) => noteIn(entry) === text);
                isFound = position >= 0;
                return entries.filter((_entry, index) => index !== position);
            });
            return isFound;
        },
    };
}

function requireRoom({ length }: readonly unknown[]): void {
    if (length >= MAX_ENTRIES) throw invalid("memory is full");
}

function entriesOf({ entries }: JsonRecord): readonly unknown[] {
    return Array.isArray(entries) ? entries : [];
}

function textsOf(entries: readonly unknown[]): string[] {
    return within(entries.flatMap((entry) => noteIn(entry) ?? []));
}

function within(texts: readonly string[]): string[] {
    return texts
        .filter((text) => text.trim() !== "" && text.length <= MAX_ENTRY_LENGTH)
        .slice(0, MAX_ENTRIES);
}

function sensible(text: string): string {
    const trimmed = text.trim();
    if (trimmed === "") throw invalid("the text is empty");
    if (trimmed.length > MAX_ENTRY_LENGTH) {
        throw invalid(`the text is over ${MAX_ENTRY_LENGTH} characters`);
    }
    return trimmed;
}

function invalid(why: string): NorthError {
    return new NorthError("invalid-memory", `This cannot be remembered: ${why}.`, [
        "Keep memory short, and remove what no longer matters with `/memory remove N`.",
    ]);
}
