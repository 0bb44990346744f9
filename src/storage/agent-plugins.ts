import path from "node:path";
import * as Type from "typebox";
import { checker, object } from "../base/json-schema.js";
import { NorthError } from "../base/north-error.js";
import { sha256 } from "../base/sha256.js";
import { readJson, updateJson } from "./files/json-file.js";
import type { Report } from "./files/storage-error.js";

const NAME = "agent-plugins.json";
const hash = Type.String({ pattern: "^[0-9a-f]{64}$" });
// Never out of the config folder, nor one of North's settings.
const file = Type.String({ pattern: "^(?:skills|commands|agents)/(?!(?:.*/)?\\.\\.(?:/|$))" });

const installed = object({
    version: Type.Optional(Type.String()),
    /** The SHA-256 of each file, relative to the config folder. */
    files: Type.Record(file, hash, { additionalProperties: false }),
    /** The SHA-256 of the JSON of each server in `mcp.json`. */
    servers: Type.Record(Type.String(), hash),
});
const record = object({ plugins: Type.Optional(Type.Record(Type.String(), installed)) });
const recordChecker = checker(record);

export type InstalledAgentPlugin = Type.Static<typeof installed>;

/** The Agent Plugins installed, by name. Rejects with `config-corrupt`. */
export async function installedAgentPlugins(
    configFolder: string
): Promise<ReadonlyMap<string, InstalledAgentPlugin>> {
    const place = path.join(configFolder, NAME);
    const read = await readJson(place);
    if (read.kind === "absent") return new Map();
    const value = read.kind === "value" ? read.value : undefined;
    if (recordChecker.fits(value)) return new Map(Object.entries(value.plugins ?? {}));
    const why = read.kind === "corrupt" ? read.reason : recordChecker.problem(value);
    throw new NorthError("config-corrupt", `${place} is invalid: ${why}.`, [
        "Fix it, or delete it; then remove what the plugins brought yourself.",
    ]);
}

/** Records an installed Agent Plugin, or with `undefined` that it is gone. */
export async function recordAgentPlugin(
    configFolder: string,
    name: string,
    plugin: InstalledAgentPlugin | undefined,
    report: Report
): Promise<void> {
    await updateJson(path.join(configFolder, NAME), { report, mode: 0o600 }, (value) => {
        const others = recordChecker.fits(value) ? value.plugins : undefined;
        value.plugins = { ...others, [name]: plugin };
    });
}

export function serverHash(definition: unknown): string {
    return sha256(JSON.stringify(definition));
}
