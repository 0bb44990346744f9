import { readFileSync } from "node:fs";
import { readFile, utimes } from "node:fs/promises";
import path from "node:path";
import { NorthError } from "../../base/north-error.js";
import { sha256 } from "../../base/sha256.js";
import type { ContentStore } from "../../core/conversation/content-store.js";
import { syncFolder, writeFileAtomically, type AtomicWriteOptions } from "./atomic-file.js";
import { shouldSyncFileSystems, syncFile, syncFileSystems } from "../../base/sync-file-systems.js";
import { ifAbsent, isAbsent } from "../../base/system-error.js";
import { asReadError, readOr } from "./storage-error.js";

/** Content-addressed bytes: the key is the SHA-256 in hex, duplicates are stored once. */
export function createObjectStore(dataFolder: string): ContentStore {
    const folder = path.join(dataFolder, "objects");
    const fileOf = (hash: string) => path.join(folder, hash.slice(0, 2), hash.slice(2));
    const put = async (hash: string, bytes: Uint8Array, options: AtomicWriteOptions = {}) => {
        const existing = await readOr(readFile(fileOf(hash)), fileOf(hash), undefined);
        // Replace a damaged object: we have the right bytes.
        if (existing && sha256(existing) === hash && (await refreshMtime(fileOf(hash)))) return [];
        // One shared temporary folder, so the next writer sweeps what a killed process left.
        await writeFileAtomically(fileOf(hash), bytes, { ...options, temporaryFolder: folder });
        return [fileOf(hash)];
    };
    return {
        async put(bytes) {
            const hash = sha256(bytes);
            await put(hash, bytes);
            return hash;
        },
        async putAll(contents) {
            const byHash = new Map(contents.map((bytes) => [sha256(bytes), bytes]));
            const durable = !shouldSyncFileSystems(byHash.size);
            const written: string[] = [];
            for (const [hash, bytes] of byHash) {
                const sweep = written.length === 0;
                written.push(...(await put(hash, bytes, { durable, sweep })));
            }
            if (durable || written.length === 0 || (await syncFileSystems([folder]))) return;
            const folders = new Set([folder, ...written.map((file) => path.dirname(file))]);
            for (const file of written) await syncFile(file);
            for (const each of folders) await syncFolder(each);
        },
        async get(hash) {
            const bytes = /^[0-9a-f]{64}$/.test(hash) ? readIfPresent(fileOf(hash)) : undefined;
            if (!bytes) {
                throw new NorthError("object-missing", `The content ${hash} is no longer stored.`);
            }

            if (sha256(bytes) !== hash) {
                throw new NorthError("object-damaged", `${fileOf(hash)} has been damaged.`);
            }

            return bytes;
        },
    };
}

/** Refreshes the mtime to protect an object from the sweep; false if it was just swept. */
async function refreshMtime(file: string): Promise<boolean> {
    return (await ifAbsent(utimes(file, new Date(), new Date()), "swept")) !== "swept";
}

/** Synchronous: blame reads thousands of small objects, and a promise costs far more than each. */
function readIfPresent(file: string): Uint8Array | undefined {
    try {
        return readFileSync(file);
    } catch (error) {
        if (isAbsent(error)) return undefined;
        throw asReadError(error, file);
    }
}
