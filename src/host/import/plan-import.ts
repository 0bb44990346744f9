import { mkdir, realpath } from "node:fs/promises";
import path from "node:path";
import { isDeepStrictEqual } from "node:util";
import { type Fields, isFields } from "../../base/fields.js";
import { NorthError } from "../../base/north-error.js";
import { readRegularFile } from "../../base/read-regular-file.js";
import { sha256 } from "../../base/sha256.js";
import { ifAbsent } from "../../base/system-error.js";
import type { ChangeSet, FileChange } from "../../plugin/index.js";
import { writeFileAtomically } from "../../storage/files/atomic-file.js";
import { formatJson, type JsonRecord, parseJson } from "../../storage/files/json-file.js";
import { writeNorthFile } from "../../storage/grants/north-folder.js";
import type { ProjectStores } from "../stores/open-stores.js";
import type { ForeignSetting, Taken } from "./foreign-setting.js";

const MAX_BYTES = 4 * 1024 * 1024;

interface ImportPlace {
    readonly configFolder: string;
    readonly home: string;
    readonly stores: Pick<ProjectStores, "root" | "grants">;
    /** Rejects a model that North does not know. */
    requireModel(name: string): void;
}

/** A setting with the file of North that takes it. */
export interface PlannedSetting extends ForeignSetting {
    /** As people write it; absent if North leaves the setting. */
    readonly to?: string;
}

/** One reviewed change to North's own files. */
export interface ImportPlan {
    readonly settings: readonly PlannedSetting[];
    readonly changeSet: ChangeSet;
    /** Writes it; rejects with `changed-since` if a file is no longer as it was shown. */
    apply(): Promise<void>;
}

interface Target {
    readonly file: string;
    /** As people write it. */
    readonly shown: string;
    readonly before: string | undefined;
    after: string;
}

/** Adds what can be taken to the files as they are, and says why the rest cannot. */
export async function planImport(
    found: readonly ForeignSetting[],
    place: ImportPlace
): Promise<ImportPlan> {
    const targets = new Targets(place);
    const commands: string[] = [];
    const { grants, root } = place.stores;
    const known = new Set(
        (await grants.snapshot()).allowedCommands.flatMap(({ command, cwd }) =>
            cwd === "" ? command : []
        )
    );
    const settings = found.map((setting): PlannedSetting => {
        const { taken, ...left } = setting;
        if (!taken) return setting;
        const { target, reason } = add(taken, setting, { targets, known, place });
        if (reason !== undefined) return { ...left, reason };
        if (taken.kind === "permission") commands.push(taken.command);
        return { ...setting, to: target?.shown ?? "" };
    });
    const changed = targets.changed();
    return {
        settings,
        changeSet: { changes: changed.map(changeOf) },
        async apply() {
            const other = changed.find(({ file, before }) => readText(file) !== before);
            if (other) {
                throw new NorthError("changed-since", `${other.shown} has changed meanwhile.`, [
                    "Run the command again.",
                ]);
            }
            for (const target of changed) await write(target, root);
            for (const command of commands) await grants.allowCommand({ command, cwd: "" });
        },
    };
}

interface Adding {
    readonly targets: Targets;
    readonly known: Set<string>;
    readonly place: ImportPlace;
}

interface Added {
    readonly target?: Target;
    readonly reason?: string;
}

const ALREADY = { reason: "North has it already" };

function add(
    taken: Taken,
    { isProject }: ForeignSetting,
    { targets, known, place }: Adding
): Added {
    switch (taken.kind) {
        case "permission": {
            if (known.has(taken.command)) return ALREADY;
            known.add(taken.command);
            return targets.change("allowlist", (value) => {
                const listed = Array.isArray(value.allowedCommands) ? value.allowedCommands : [];
                value.allowedCommands = [...listed, taken.command];
            });
        }
        case "server":
            return targets.change(isProject ? "sharedServers" : "servers", (value) => {
                const servers = isFields(value.mcpServers) ? value.mcpServers : {};
                const { name, definition } = taken;
                const other = servers[name];
                if (isDeepStrictEqual(other, definition)) return ALREADY.reason;
                if (other !== undefined) return "North has another server of this name";
                value.mcpServers = { ...servers, [name]: definition };
                return undefined;
            });
        case "hook":
            return targets.change(isProject ? "projectHooks" : "config", (value) => {
                const hooks: Fields = isFields(value.hooks) ? value.hooks : {};
                const groups = hooks[taken.event];
                const listed: readonly unknown[] = Array.isArray(groups) ? groups : [];
                if (listed.some((group) => isDeepStrictEqual(group, taken.group))) {
                    return ALREADY.reason;
                }
                value.hooks = { ...hooks, [taken.event]: [...listed, taken.group] };
                return undefined;
            });
        case "model":
            return addModel(taken.name, isProject, { targets, place });
        case "file":
            return targets.create(taken.to, taken.content);
        case "instructions":
            return targets.append(`@${taken.file}`);
        default:
            return taken satisfies never;
    }
}

function addModel(
    name: string,
    isProject: boolean,
    { targets, place }: Pick<Adding, "targets" | "place">
): Added {
    if (isProject) return { reason: "North has one model for all projects; use `--model`" };
    try {
        place.requireModel(name);
    } catch {
        return { reason: "North does not know this model; see `north models`" };
    }
    return targets.change("config", (value) => {
        if (value.selectedModel === name) return ALREADY.reason;
        if (typeof value.selectedModel === "string") return `you use ${value.selectedModel}`;
        value.selectedModel = name;
        return undefined;
    });
}

type TargetName = "allowlist" | "config" | "projectHooks" | "servers" | "sharedServers";

/** North's files, each read once. */
class Targets {
    private readonly opened = new Map<string, Target>();

    constructor(private readonly place: ImportPlace) {}

    changed(): readonly Target[] {
        return [...this.opened.values()].filter(({ before, after }) => after !== (before ?? ""));
    }

    /** Changes a file of JSON; `change` returns why it does not. */
    change(name: TargetName, change: (value: JsonRecord) => string | undefined | void): Added {
        const target = this.open(this.placeOf(name));
        const parsed = parseJson(target.after === "" ? "{}" : target.after);
        if (parsed.kind !== "value") {
            const why = parsed.kind === "corrupt" ? parsed.reason : "it is missing";
            throw new NorthError("config-corrupt", `${target.shown} is invalid: ${why}.`, [
                "Fix it first; nothing was imported.",
            ]);
        }
        const reason = change(parsed.value);
        if (typeof reason === "string") return { reason };
        target.after = formatJson(parsed.value);
        return { target };
    }

    /** Appends a line to the user's own instructions. */
    append(line: string): Added {
        const target = this.open(path.join(this.place.configFolder, "AGENTS.md"));
        const { after } = target;
        if (after.split("\n").some((each) => each.trim() === line)) return ALREADY;
        target.after = `${after}${after === "" || after.endsWith("\n") ? "" : "\n"}${line}\n`;
        return { target };
    }

    /** Adds a file to North's config folder, over no other. */
    create(name: string, content: string): Added {
        const target = this.open(path.join(this.place.configFolder, name));
        if (target.after === content) return ALREADY;
        if (target.before !== undefined) return { reason: `${target.shown} is another file` };
        target.after = content;
        return { target };
    }

    private placeOf(name: TargetName): string {
        const { configFolder, stores } = this.place;
        const { root } = stores;
        switch (name) {
            case "allowlist":
                return path.join(root, ".north", "allowlist.json");
            case "projectHooks":
                return path.join(root, ".north", "hooks.json");
            case "sharedServers":
                return path.join(root, ".mcp.json");
            case "servers":
                return path.join(configFolder, "mcp.json");
            case "config":
                return path.join(configFolder, "config.json");
            default:
                return name satisfies never;
        }
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
        const { home, stores } = this.place;
        for (const [folder, prefix] of [
            [stores.root, ""],
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
    return readRegularFile(file, MAX_BYTES, "follow")?.bytes.toString("utf8");
}

function changeOf({ shown, before, after }: Target): FileChange {
    const old = before === undefined ? null : Buffer.from(before);
    return {
        path: shown,
        before: old,
        beforeHash: old && sha256(old),
        after: Buffer.from(after),
    };
}

async function write({ file, after }: Target, root: string): Promise<void> {
    const folder = path.join(root, ".north");
    if (path.dirname(file) !== folder) {
        const mode = path.dirname(file) === root ? 0o644 : 0o600;
        await mkdir(path.dirname(file), { recursive: true });
        return writeFileAtomically(await ifAbsent(realpath(file), file), after, { mode });
    }
    // Commands are allowed one by one, which writes the list.
    const name = path.basename(file);
    if (name !== "allowlist.json") await writeNorthFile(root, name, { content: after });
}
