import { realpath } from "node:fs/promises";
import path from "node:path";
import { NorthError } from "../base/north-error.js";
import { isJsonRecord, type JsonRecord, readJson, updateJson } from "./files/json-file.js";
import { isAbsent } from "../base/system-error.js";
import { type Report } from "./files/storage-error.js";

const NOTIFY_SETTINGS = ["off", "bell", "desktop"] as const;

/** The user's settings. What is not named here belongs to plugins and newer versions. */
export interface Config {
    /** The model of new conversations; written by `/model` only. */
    readonly selectedModel?: string;
    readonly budget?: BudgetSettings;
    /** How the user is told that North waits for them. */
    readonly notify?: (typeof NOTIFY_SETTINGS)[number];
    readonly [name: string]: unknown;
}

/** US dollars after which the user is asked before more is spent. */
export interface BudgetSettings {
    readonly perConversationUsd?: number;
    /** Over all projects, by the user's own calendar. */
    readonly perDayUsd?: number;
}

/**
 * Reads `config.json`; without one there are no settings. A file that cannot be understood rejects
 * with `config-corrupt` and stays where it is: somebody edits it by hand.
 */
export async function readConfig(configFolder: string): Promise<Config> {
    const file = path.join(configFolder, "config.json");
    const stored = await readJson(file);
    if (stored.kind === "absent") return {};
    if (stored.kind === "corrupt") throw corruptError(file, stored.reason);
    const { selectedModel } = stored.value;
    if (selectedModel !== undefined && typeof selectedModel !== "string") {
        throw corruptError(file, "`selectedModel` is not a text");
    }

    const { budget, notify, ...others } = stored.value;
    if (budget !== undefined && !isBudget(budget)) {
        throw corruptError(file, "`budget` wants amounts above 0: perConversationUsd, perDayUsd");
    }

    const known = NOTIFY_SETTINGS.find((setting) => setting === notify);
    if (notify !== undefined && known === undefined) {
        throw corruptError(file, `\`notify\` wants one of ${NOTIFY_SETTINGS.join(", ")}`);
    }

    return {
        ...others,
        selectedModel,
        ...(budget === undefined ? {} : { budget }),
        ...(known === undefined ? {} : { notify: known }),
    };
}

/** A misspelt budget must not mean that there is none. */
function isBudget(value: unknown): value is BudgetSettings {
    if (!isJsonRecord(value)) return false;
    return Object.entries(value).every(
        ([name, usd]) =>
            (name === "perConversationUsd" || name === "perDayUsd") &&
            typeof usd === "number" &&
            usd > 0
    );
}

/**
 * Changes settings on their newest state and keeps all others; `undefined` removes one. A corrupt
 * file is set aside and reported.
 */
export async function updateConfig(
    configFolder: string,
    changes: Config,
    report: Report
): Promise<void> {
    const file = await followLink(path.join(configFolder, "config.json"));
    await updateJson(file, { report }, (config: JsonRecord) => Object.assign(config, changes));
}

/** People keep settings in a repository of their own and link to them: the link must stay one. */
async function followLink(file: string): Promise<string> {
    try {
        return await realpath(file);
    } catch (error) {
        if (isAbsent(error)) return file;
        throw error;
    }
}

function corruptError(file: string, reason: string): NorthError {
    return new NorthError("config-corrupt", `${file} cannot be understood: ${reason}.`, [
        "Correct it, or delete it to start with the standard settings.",
    ]);
}
