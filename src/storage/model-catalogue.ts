import path from "node:path";
import { isFields } from "../base/fields.js";
import type { CatalogueModel } from "../core/registry/model-catalogue.js";
import { writeFileAtomically } from "./files/atomic-file.js";
import { formatJson, readJson } from "./files/json-file.js";

/** What `north models --refresh` stored. */
export interface StoredCatalogue {
    readonly version: 1;
    /** Where it came from. */
    readonly source: string;
    /** Of the response, to ask only for a newer one. */
    readonly etag?: string;
    /** ISO times: when its content changed, and when the source was last asked. */
    readonly fetchedAt: string;
    readonly checkedAt: string;
    readonly providers: readonly string[];
    readonly models: readonly CatalogueModel[];
    /** Entries that are not used, and why. */
    readonly refused: readonly string[];
}

const fileIn = (dataFolder: string) => path.join(dataFolder, "model-catalogue.json");

/** `undefined` if there is none, or none that this version can read: North works without it. */
export async function readStoredCatalogue(
    dataFolder: string
): Promise<StoredCatalogue | undefined> {
    const stored = await readJson(fileIn(dataFolder)).catch(() => undefined);
    const value: unknown = stored?.kind === "value" ? stored.value : undefined;
    return isStored(value) ? value : undefined;
}

function isStored(value: unknown): value is StoredCatalogue {
    if (!isFields(value) || value.version !== 1 || typeof value.source !== "string") return false;
    const { models, refused, providers } = value;
    if (![models, refused, providers].every(Array.isArray)) return false;
    return Array.isArray(models) && models.every(isEntry);
}

function isEntry(entry: unknown): boolean {
    if (!isFields(entry) || !isFields(entry.model) || !isFields(entry.model.prices)) return false;
    const { input, output } = entry.model.prices;
    return typeof input === "number" && typeof output === "number";
}

export async function storeCatalogue(dataFolder: string, stored: StoredCatalogue): Promise<void> {
    await writeFileAtomically(fileIn(dataFolder), formatJson({ ...stored }));
}
