import { realpath, rm, rmdir } from "node:fs/promises";
import path from "node:path";
import { NorthError } from "../../base/north-error.js";
import { readRegularFile } from "../../base/read-regular-file.js";
import { sha256 } from "../../base/sha256.js";
import { ifAbsent } from "../../base/system-error.js";
import type { ChangeSet, FileChange } from "../../plugin/index.js";
import { writeFileAtomically } from "../../storage/files/atomic-file.js";
import { formatJson, type JsonRecord, parseJson } from "../../storage/files/json-file.js";
import { writeNorthFile } from "../../storage/grants/north-folder.js";

const MAX_BYTES = 4 * 1024 * 1024;

export const ALREADY = { reason: "North has it already" };
export const CHANGED = { reason: "you changed it since" };
export const GONE = { reason: "it is gone" };

interface TargetPlace {
    readonly configFolder: string;
    readonly home: string;
    /** The project's root. */
    readonly root: string;
}

export interface PlannedChanges {
    readonly changeSet: ChangeSet;
    /**
     * Writes them; rejects with `changed-since` if a file is no longer as it was shown. `record` is
     * called before the first file is written.
     */
    apply(record?: () => Promise<void>): Promise<void>;
}

interface Target {
    readonly file: string;
    /** As people write it. */
    readonly shown: string;
    readonly before: string | undefined;
    /** `null` removes it. */
    after: string | null;
}

export interface TargetChange {
    readonly target?: Target;
    readonly reason?: string;
}

const JSON_FILES = {
    allowlist: ({ root }: TargetPlace) => path.join(root, ".north", "allowlist.json"),
    projectHooks: ({ root }: TargetPlace) => path.join(root, ".north", "hooks.json"),
    sharedServers: ({ root }: TargetPlace) => path.join(root, ".mcp.json"),
    servers: ({ configFolder }: TargetPlace) => path.join(configFolder, "mcp.json"),
    config: ({ configFolder }: TargetPlace) => path.join(configFolder, "config.json"),
};

/** North's files, each read once. */
export class Targets {
    private readonly opened = new Map<string, Target>();

    constructor(private readonly place: TargetPlace) {}

    plan(): PlannedChanges {
        const changed = [...this.opened.values()].filter(
            ({ before, after }) => after !== (before ?? "")
        );
        return {
            changeSet: { changes: changed.map(changeOf) },
            apply: async (record) => {
                const other = changed.find(({ file, before }) => readText(file) !== before);
                if (other) {
                    throw new NorthError("changed-since", `${other.shown} has changed meanwhile.`, [
                        "Run the command again.",
                    ]);
                }
                await record?.();
                for (const target of changed) await write(target, this.place);
            },
        };
    }

    /** Changes a file of JSON; `change` returns why it does not. */
    change(
        name: keyof typeof JSON_FILES,
        change: (value: JsonRecord) => string | undefined | void
    ): TargetChange {
        const target = this.open(JSON_FILES[name](this.place));
        const parsed = parseJson(target.after || "{}");
        if (parsed.kind !== "value") {
            const why = parsed.kind === "corrupt" ? parsed.reason : "it is missing";
            throw new NorthError("config-corrupt", `${target.shown} is invalid: ${why}.`, [
                "Fix it first; nothing was changed.",
            ]);
        }
        const reason = change(parsed.value);
        if (typeof reason === "string") return { reason };
        target.after = formatJson(parsed.value);
        return { target };
    }

    /** Appends a line to the user's own instructions. */
    append(line: string): TargetChange {
        const target = this.open(path.join(this.place.configFolder, "AGENTS.md"));
        const after = target.after ?? "";
        // Written again, its other bytes would be lost.
        if (after.includes("\ufffd")) return { reason: `${target.shown} is not UTF-8` };
        if (after.split("\n").some((each) => each.trim() === line)) return ALREADY;
        target.after = `${after}${after === "" || after.endsWith("\n") ? "" : "\n"}${line}\n`;
        return { target };
    }

    /** Adds a file to North's config folder, over none but one with the hash `former`. */
    create(name: string, content: string, former?: string): TargetChange {
        const target = this.open(path.join(this.place.configFolder, name));
        const { before } = target;
        if (target.after === content) return ALREADY;
        if (before !== undefined && sha256(before) !== former) {
            return { reason: `${target.shown} is another file` };
        }
        target.after = content;
        return { target };
    }

    /** Removes a file of North's config folder that has this hash. */
    remove(name: string, hash: string): TargetChange {
        const target = this.open(path.join(this.place.configFolder, name));
        if (target.before === undefined) return GONE;
        const own = readRegularFile(target.file, MAX_BYTES);
        if (!own?.isWhole || sha256(own.bytes) !== hash) return CHANGED;
        target.after = null;
        return { target };
    }

    private open(file: string): Target {
        const known = this.opened.get(file);
        if (known) return known;
        const before = readText(file);
        const target = { file, shown: this.shown(file), before, after: before ?? "" };
        this.opened.set(file, target);
        return target;
    }

    private shown(file: string): string {
        const { home, root } = this.place;
        for (const [folder, prefix] of [
            [root, ""],
            [home, "~/"],
        ] as const) {
            if (file.startsWith(`${folder}${path.sep}`)) {
                return `${prefix}${path.relative(folder, file)}`;
            }
        }
        return file;
    }
}

/** A link of the user's own is followed: people keep their settings in a repository. */
function readText(file: string): string | undefined {
    const read = readRegularFile(file, MAX_BYTES, "follow");
    if (read && !read.isWhole) throw new NorthError("too-large", `${file} is larger than 4 MB.`);
    return read?.bytes.toString("utf8");
}

function changeOf({ shown, before, after }: Target): FileChange {
    const old = before === undefined ? null : Buffer.from(before);
    return {
        path: shown,
        before: old,
        beforeHash: old && sha256(old),
        after: after === null ? null : Buffer.from(after),
    };
}

async function write({ file, after }: Target, { root, configFolder }: TargetPlace): Promise<void> {
    if (after === null) return remove(file, configFolder);
    const folder = path.join(root, ".north");
    if (path.dirname(file) !== folder) {
        const mode = path.dirname(file) === root ? 0o644 : 0o600;
        return writeFileAtomically(await ifAbsent(realpath(file), file), after, { mode });
    }
    // Commands are allowed one by one, which writes the list.
    const name = path.basename(file);
    if (name !== "allowlist.json") await writeNorthFile(root, name, { content: after });
}

/** With the folders below the config folder that are empty then. */
async function remove(file: string, configFolder: string): Promise<void> {
    await rm(file, { force: true });
    let folder = path.dirname(file);
    while (folder.startsWith(`${configFolder}${path.sep}`)) {
        const isEmpty = await rmdir(folder).then(
            () => true,
            () => false
        );
        if (!isEmpty) return;
        folder = path.dirname(folder);
    }
}
