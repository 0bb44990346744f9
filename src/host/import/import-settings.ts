import { northCommand } from "../../base/north-command.js";
import type { Config } from "@oclif/core";
import { counted } from "../../base/format.js";
import { NorthError } from "../../base/north-error.js";
import { resolveModel } from "../../core/registry/models.js";
import { valuesOf } from "../../core/registry/registry.js";
import type { NorthDirectories } from "../../storage/files/directories.js";
import { loadRegistry } from "../project/load-plugins.js";
import { openStores } from "../open-stores.js";
import { table } from "../table.js";
import { warn } from "../warn.js";
import { type ImportPlan, planImport, type PlannedSetting } from "./plan-import.js";
import { FOREIGN_ASSISTANTS, type FoundAssistant, readAssistant } from "./assistants.js";

export const ASSISTANT_IDS = FOREIGN_ASSISTANTS.map(({ id }) => id);
export const KINDS = ["permission", "server", "hook", "model", "instructions"] as const;

interface ImportRequest {
    readonly directories: NorthDirectories;
    readonly home: string;
    readonly folder: string;
}

export async function findAssistants({ home, folder, directories }: ImportRequest) {
    const { root } = await openStores(directories.data, folder);
    const found = await Promise.all(
        FOREIGN_ASSISTANTS.map((each) => readAssistant(each, { home, root }))
    );
    return found.filter((each) => each !== undefined);
}

/** Plans to take an assistant's settings. Rejects with `not-found` if it has none. */
export async function openImport(
    assistant: string,
    kinds: readonly string[],
    { directories, home, folder, config }: ImportRequest & { readonly config: Config }
): Promise<ImportPlan & Pick<FoundAssistant, "title"> & { readonly root: string }> {
    const stores = await openStores(directories.data, folder, { report: warn });
    const { root } = stores;
    const wanted = FOREIGN_ASSISTANTS.find(({ id }) => id === assistant);
    const found = wanted && (await readAssistant(wanted, { home, root }));
    if (!found) {
        const title = wanted?.title ?? assistant;
        throw new NorthError("not-found", `${title} has no settings in ${root} or ${home}.`, [
            "`north import` lists the assistants that have some.",
        ]);
    }
    const { providers } = await loadRegistry(config);
    const all = valuesOf(providers);
    const settings = found.settings.filter(({ taken }) => !taken || kinds.includes(taken.kind));
    const plan = await planImport(settings, {
        ...{ stores, home, configFolder: directories.config },
        requireModel: (name) => void resolveModel(name, all),
    });
    return { ...plan, title: found.title, root };
}

export function assistantsText(found: readonly FoundAssistant[]): string {
    if (found.length === 0) return "No other assistant has settings here or in your home folder.";
    const rows = found.map(({ tool, title, settings }) => {
        const files = [...new Set(settings.map(({ from }) => from))];
        return [title, files.join(", "), `${northCommand()} import ${tool}`];
    });
    return table(["Assistant", "Settings in", "To see what North imports"], rows);
}

/** What is taken and where it goes, and by reason what stays. */
export function planText({ taken, left }: Pick<ImportPlan, "taken" | "left">): string {
    const reasons = [...new Set(left.map(({ reason = "" }) => reason))];
    const named = ({ what, from }: PlannedSetting) => (what === from ? what : `${what} (${from})`);
    return [
        `North imports ${counted(taken.length, "setting")}${taken.length > 0 ? ":" : "."}`,
        ...taken.flatMap(({ what, from, to, reason }) => [
            `  ${what} (${from} → ${to})`,
            ...(reason === undefined ? [] : [`    ${reason}`]),
        ]),
        `It skips ${counted(left.length, "setting")}${left.length > 0 ? ":" : "."}`,
        ...reasons.flatMap((reason) => [
            `  ${reason}:`,
            ...left.filter((each) => each.reason === reason).map((each) => `    ${named(each)}`),
        ]),
    ].join("\n");
}
