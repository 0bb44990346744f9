import { appendFile, readFile, rm } from "node:fs/promises";
import path from "node:path";
import { writeFileAtomically } from "./files/atomic-file.js";
import { projectFolder } from "./files/directories.js";
import { formatJson } from "./files/json-file.js";
import { belongingOf, claimProjectFolder } from "./grants/project-folder.js";
import { isAbsent } from "../base/system-error.js";
import { asWriteError } from "./files/storage-error.js";

const MAX_OFFERS = 3;

export function profileFile(dataFolder: string, root: string): string {
    return path.join(projectFolder(dataFolder, root), "profile.md");
}

function declinedFile(dataFolder: string, root: string): string {
    return path.join(projectFolder(dataFolder, root), "declined.json");
}

/** The learned profile of a project; `undefined` if there is none or it cannot be read. */
export async function readProfile(dataFolder: string, root: string): Promise<string | undefined> {
    if ((await belongingOf({ dataFolder, root })) === "another-clone") return undefined;
    const text = await readFile(profileFile(dataFolder, root), "utf8").catch(() => "");
    return text.trim() === "" ? undefined : text.trim();
}

/** Replaces the profile, and forgets that learning was declined. */
export async function writeProfile(dataFolder: string, root: string, text: string): Promise<void> {
    await claimProjectFolder({ dataFolder, root });
    await writeFileAtomically(profileFile(dataFolder, root), text);
    await remove(declinedFile(dataFolder, root));
}

/** Removes the profile; resolves with whether there was one. */
export async function removeProfile(dataFolder: string, root: string): Promise<boolean> {
    if ((await belongingOf({ dataFolder, root })) === "another-clone") return false;
    return remove(profileFile(dataFolder, root));
}

/** Whether the user declined to have this project learned. */
export async function isLearningDeclined(dataFolder: string, root: string): Promise<boolean> {
    if ((await belongingOf({ dataFolder, root })) === "another-clone") return false;
    try {
        await readFile(declinedFile(dataFolder, root));
        return true;
    } catch (error) {
        return !isAbsent(error);
    }
}

/** Counts an offer to learn this project; `false` if it was declined or made often enough. */
export async function countOffer(dataFolder: string, root: string): Promise<boolean> {
    if (await isLearningDeclined(dataFolder, root)) return false;
    // A character for each offer.
    const file = path.join(projectFolder(dataFolder, root), "offers");
    const offers = (await readFile(file, "utf8").catch(() => "")).length;
    if (offers >= MAX_OFFERS) return false;
    await claimProjectFolder({ dataFolder, root });
    await appendFile(file, ".");
    return true;
}

export async function declineLearning(dataFolder: string, root: string, at: number): Promise<void> {
    await claimProjectFolder({ dataFolder, root });
    const content = formatJson({ root, declinedAt: new Date(at).toISOString() });
    await writeFileAtomically(declinedFile(dataFolder, root), content);
}

async function remove(file: string): Promise<boolean> {
    try {
        await rm(file);
        return true;
    } catch (error) {
        if (isAbsent(error)) return false;
        throw asWriteError(error, file);
    }
}
