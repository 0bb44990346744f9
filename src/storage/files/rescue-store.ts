import path from "node:path";
import * as Type from "typebox";
import { checker, list, object } from "../../base/json-schema.js";
import { projectHash } from "./directories.js";
import { readJson, updateJson } from "./json-file.js";
import type { Report } from "./storage-error.js";

const rescuedFile = object({
    /** Absolute. */
    path: Type.String(),
    type: Type.Enum(["file", "link"]),
    /** Object store hash of the content, or of the link's target. */
    hash: Type.String(),
    size: Type.Number(),
    mode: Type.Number(),
});
const rescue = object({
    /** Six hex digits. */
    id: Type.String(),
    at: Type.Number(),
    command: Type.String(),
    files: list(rescuedFile),
});
const rescues = checker(object({ rescues: list(rescue) }));

/** A file that a command deleted or overwrote, as it was before. */
export type RescuedFile = Type.Static<typeof rescuedFile>;
export type Rescue = Type.Static<typeof rescue>;

/** Older rescues are dropped and their objects swept. */
const MAX_KEPT = 50;

export type RescueStore = ReturnType<typeof createRescueStore>;

/** The object sweep reads this folder for references. */
export function rescueFolder(dataFolder: string): string {
    return path.join(dataFolder, "rescues");
}

/** Files lost to commands in one project, newest rescue last. */
export function createRescueStore(dataFolder: string, root: string, report: Report) {
    const file = path.join(rescueFolder(dataFolder), `${projectHash(root)}.json`);
    const kept = (value: unknown): readonly Rescue[] => (rescues.fits(value) ? value.rescues : []);
    const update = (change: (before: readonly Rescue[]) => readonly Rescue[]) =>
        updateJson(file, { report }, (value) => {
            value.rescues = change(kept(value)).slice(-MAX_KEPT);
        });
    return {
        async list(): Promise<readonly Rescue[]> {
            const stored = await readJson(file);
            return stored.kind === "value" ? kept(stored.value) : [];
        },
        add: (added: Rescue) => update((before) => [...before, added]),
        /** Keeps only these files of a rescue; removes the rescue if empty. */
        narrow: (id: string, files: readonly RescuedFile[]) =>
            update((before) =>
                before.flatMap((one) => {
                    if (one.id !== id) return [one];
                    return files.length > 0 ? [{ ...one, files: [...files] }] : [];
                })
            ),
    };
}
