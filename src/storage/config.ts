import { realpath } from "node:fs/promises";
import path from "node:path";
import * as Type from "typebox";
import { checker, list, object } from "../base/json-schema.js";
import { NorthError } from "../base/north-error.js";
import { type JsonRecord, readJson, updateJson } from "./files/json-file.js";
import { ifAbsent } from "../base/system-error.js";
import { type Report } from "./files/storage-error.js";

const amount = Type.Optional(
    Type.Number({ exclusiveMinimum: 0, expected: "an amount in US dollars above 0" })
);

const count = Type.Optional(Type.Integer({ minimum: 1 }));

const resultFormat = Type.Enum(["text", "json"]);
const containmentMode = Type.Enum(["auto", "off", "required"]);
const containment = object(
    {
        mode: Type.Optional(containmentMode),
        /** Relative to HOME, added to what contained commands see of it. */
        show: Type.Optional(list(Type.String())),
        /** Relative to HOME, taken from what they see of it. */
        hide: Type.Optional(list(Type.String())),
        limits: Type.Optional(
            object(
                {
                    memoryMb: count,
                    processes: count,
                    /** Files and output of one command. */
                    writtenMb: count,
                },
                { additionalProperties: false }
            )
        ),
    },
    { additionalProperties: false }
);

const check = object(
    {
        /** A shell command; `{files}` stands for the changed files. */
        run: Type.String({ minLength: 1 }),
        /** A glob for the files that it looks at; all if absent. */
        files: Type.Optional(Type.String({ minLength: 1 })),
        /** What it finds refuses the change. */
        refuse: Type.Optional(Type.Boolean()),
        /** How long it may take; 60 if absent. */
        seconds: Type.Optional(Type.Integer({ minimum: 1, maximum: 600 })),
    },
    { additionalProperties: false, expected: "an object with run, files, refuse, seconds" }
);
export type CheckSetting = Type.Static<typeof check>;

const config = object({
    /** The model of new conversations; written by `/model` only. */
    selectedModel: Type.Optional(Type.String()),
    /** The model of sub-agents, by alias or id; the conversation's own if absent or of another provider. */
    exploreModel: Type.Optional(Type.String()),
    /** After how much the user is asked before more is spent. A misspelt one is not none. */
    budget: Type.Optional(
        object(
            {
                perConversationUsd: amount,
                /** Over all projects, by the user's own calendar. */
                perDayUsd: amount,
            },
            {
                additionalProperties: false,
                expected: "amounts above 0: perConversationUsd, perDayUsd",
            }
        )
    ),
    /** After so many requests of a turn the chat asks whether to continue. */
    askAfterRequests: Type.Optional(
        Type.Integer({ minimum: 1, expected: "a positive whole number" })
    ),
    /** How the user is told that North waits for them. */
    notify: Type.Optional(Type.Enum(["off", "bell", "desktop"])),
    /** A command whose first line takes the place of the status line. */
    statusLine: Type.Optional(Type.String()),
    results: Type.Optional(resultFormat),
    /** What `/rescue` keeps of one command's losses. */
    rescueMegabytes: Type.Optional(
        Type.Number({ minimum: 0, expected: "a number of megabytes, 0 or more" })
    ),
    containment: Type.Optional(Type.Union([containmentMode, containment])),
    /** Commands whose exit code says whether edits work, beside those of common tools. */
    checkCommands: Type.Optional(list(Type.String())),
    /** Commands that look at each change before its review. */
    checks: Type.Optional(list(check)),
});
const configChecker = checker(config);

/** The user's settings. What is not named here belongs to plugins and newer versions. */
export type Config = Type.Static<typeof config> & { readonly [name: string]: unknown };
export type BudgetSettings = NonNullable<Config["budget"]>;

export type ContainmentSettings = Required<Type.Static<typeof containment>>;

/** The settings of containment; in the file the mode alone is enough. */
export function containmentIn({ containment: set }: Config): ContainmentSettings {
    const standard = { mode: "auto", show: [], hide: [], limits: {} } as const;
    return typeof set === "string" ? { ...standard, mode: set } : { ...standard, ...set };
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
    const problem = configChecker.problem(stored.value);
    if (problem !== undefined) throw corruptError(file, problem);
    return stored.value;
}

/** `undefined` removes a setting. A corrupt file is set aside and reported. */
export async function updateConfig(
    configFolder: string,
    changes: Config,
    report: Report
): Promise<void> {
    const named = path.join(configFolder, "config.json");
    // People keep settings in a repository of their own and link to them: the link must stay one.
    const file = await ifAbsent(realpath(named), named);
    await updateJson(file, { report }, (config: JsonRecord) => Object.assign(config, changes));
}

function corruptError(file: string, reason: string): NorthError {
    return new NorthError("config-corrupt", `${file} is invalid: ${reason}.`, [
        "Fix it, or delete it to use the default settings.",
    ]);
}
