import { readdir, rm } from "node:fs/promises";
import path from "node:path";
import { isFields } from "../../base/fields.js";
import { NorthError } from "../../base/north-error.js";
import { sha256 } from "../../base/sha256.js";
import { writeFileAtomically } from "../files/atomic-file.js";
import { projectHash } from "../files/directories.js";
import { holdLock } from "../files/file-lock.js";
import { formatJson, type JsonRecord, readJson } from "../files/json-file.js";
import { readOr } from "../files/storage-error.js";

/** A run of print mode that has a key in its project, so that it happens once. */
export interface KeyedRun {
    readonly key: string;
    /** SHA-256 of what the run was asked, in hex: a key stands for one task. */
    readonly askedHash: string;
    readonly conversationId: string;
    /** The object that print mode printed; absent until the run has finished. */
    readonly result?: JsonRecord;
}

/** The exit code for a key that is held elsewhere: "try again later" (`EX_TEMPFAIL`, sysexits.h). */
export const IN_PROGRESS_EXIT_CODE = 75;

const FOLDER = path.join("conversations", "once");

/**
 * Takes a key, which no other process holds until it is released. `run` is what earlier processes
 * left. Rejects with `held-elsewhere`, or `other-task` if the key stands for something else.
 */
export async function holdKey(
    { dataFolder, root }: { readonly dataFolder: string; readonly root: string },
    key: string,
    askedHash: string
) {
    const file = fileOf(dataFolder, root, key);
    const lock = await holdLock(`${file}.holder`);
    if (lock.kind === "busy") throw heldElsewhere(key, lock.process);
    try {
        const run = await readRun(file);
        if (run && run.askedHash !== askedHash) throw otherTask(run);
        return {
            run,
            save: (saved: Omit<KeyedRun, "key" | "askedHash">) =>
                writeFileAtomically(file, formatJson({ key, askedHash, ...saved }), {
                    beforeReplace: lock.assertHeld,
                }),
            release: () => lock.release(),
        };
    } catch (error) {
        lock.release();
        throw error;
    }
}

/** What a key stands for, whoever holds it. */
export function keyedRun(dataFolder: string, root: string, key: string) {
    return readRun(fileOf(dataFolder, root, key));
}

/** Forgets the keys of a conversation that is deleted. */
export async function forgetKeys(dataFolder: string, conversationId: string): Promise<void> {
    const folder = path.join(dataFolder, FOLDER);
    for (const name of await readOr(readdir(folder), folder, [])) {
        const file = path.join(folder, name);
        const run = name.endsWith(".json") ? await readRun(file) : undefined;
        if (run?.conversationId === conversationId) await rm(file, { force: true });
    }
}

function fileOf(dataFolder: string, root: string, key: string): string {
    const name = `${projectHash(root)}-${sha256(key).slice(0, 32)}.json`;
    return path.join(dataFolder, FOLDER, name);
}

async function readRun(file: string): Promise<KeyedRun | undefined> {
    const stored = await readJson(file);
    return stored.kind === "value" && isKeyedRun(stored.value) ? stored.value : undefined;
}

function isKeyedRun(value: JsonRecord): value is JsonRecord & KeyedRun {
    const { key, askedHash, conversationId, result } = value;
    const isResult = result === undefined || isFields(result);
    return isResult && [key, askedHash, conversationId].every((text) => typeof text === "string");
}

export function heldElsewhere(key: string, process?: number): NorthError {
    const where = process === undefined ? "another North" : `another North (process ${process})`;
    return new NorthError("held-elsewhere", `The run "${key}" is in progress in ${where}.`, [
        "Try again when it has ended: it then answers from its log, or resumes.",
    ]);
}

function otherTask({ key, conversationId }: KeyedRun): NorthError {
    return new NorthError(
        "other-task",
        `The key "${key}" stands for another prompt or model, in conversation ${conversationId}.`,
        [
            `Use another key, or forget this one with \`north conversations delete ${conversationId}\`.`,
        ]
    );
}
