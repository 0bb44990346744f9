import { isDeepStrictEqual } from "node:util";
import { type Fields, isFields, ownValue } from "../../base/fields.js";
import { type InstalledAgentPlugin, serverHash } from "../../storage/agent-plugins.js";
import type { ProjectStores } from "../open-stores.js";
import type { ForeignSetting, ImportedSetting } from "./foreign-setting.js";
import { type TargetChange, ALREADY, type PlannedChanges, Targets } from "./targets.js";

interface ImportPlace {
    readonly configFolder: string;
    readonly home: string;
    readonly stores: Pick<ProjectStores, "root" | "grants">;
    /** What an earlier version of the same plugin wrote; it is replaced unless it was changed. */
    readonly former?: InstalledAgentPlugin;
    /** Rejects a model that North does not know. */
    requireModel(name: string): void;
}

/** A setting with the file of North that takes it. */
export interface PlannedSetting extends ForeignSetting {
    /** As people write it; absent if North leaves the setting. */
    readonly to?: string;
}

/** One reviewed change to North's own files. */
export interface ImportPlan extends PlannedChanges {
    readonly taken: readonly PlannedSetting[];
    readonly left: readonly PlannedSetting[];
}

/** Adds what can be taken to the files as they are, and says why the rest cannot. */
export async function planImport(
    found: readonly ForeignSetting[],
    place: ImportPlace
): Promise<ImportPlan> {
    const { configFolder, home, stores } = place;
    const targets = new Targets({ configFolder, home, root: stores.root });
    const commands: string[] = [];
    const { grants } = stores;
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
    const changes = targets.plan();
    return {
        taken: settings.filter(({ to }) => to !== undefined),
        left: settings.filter(({ to }) => to === undefined),
        changeSet: changes.changeSet,
        async apply(record) {
            await changes.apply(record);
            for (const command of commands) await grants.allowCommand({ command, cwd: "" });
        },
    };
}

interface Adding {
    readonly targets: Targets;
    readonly known: Set<string>;
    readonly place: ImportPlace;
}

function add(
    taken: ImportedSetting,
    { isProject }: ForeignSetting,
    { targets, known, place }: Adding
): TargetChange {
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
                const other = ownValue(servers, name);
                if (isDeepStrictEqual(other, definition)) return ALREADY.reason;
                const formerHash = ownValue(place.former?.servers ?? {}, name);
                const isFormer = formerHash !== undefined && serverHash(other) === formerHash;
                if (other !== undefined && !isFormer) {
                    return "North has another server of this name";
                }
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
            return targets.create(taken.to, taken.content, place.former?.files[taken.to]);
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
): TargetChange {
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
