import { realpath } from "node:fs/promises";
import path from "node:path";
import * as Type from "typebox";
import { MODE_IDS } from "../plugin/modes.js";
import { checker, list, object } from "../base/json-schema.js";
import { nearName } from "../base/near-name.js";
import { NorthError } from "../base/north-error.js";
import { type JsonRecord, readJson, updateJson } from "./files/json-file.js";
import { ifAbsent } from "../base/system-error.js";
import { type Policy, readPolicy } from "./policy.js";
import { type Report } from "./files/storage-error.js";

const amount = Type.Optional(
    Type.Number({ exclusiveMinimum: 0, expected: "an amount in US dollars above 0" })
);

const text = (expected: string) => Type.Optional(Type.String({ expected }));

const count = Type.Optional(Type.Integer({ minimum: 1 }));

const resultFormat = Type.Enum(["text", "json"]);
const containmentMode = Type.Enum(["auto", "off", "required", "external"]);
const containment = object(
    {
        mode: Type.Optional(containmentMode),
        /** Paths relative to HOME that contained commands may also see. */
        show: Type.Optional(list(Type.String())),
        /** Paths relative to HOME that contained commands must not see. */
        hide: Type.Optional(list(Type.String())),
        limits: Type.Optional(
            object(
                {
                    memoryMb: count,
                    processes: count,
                    /** Max data one command may write: files plus output. */
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
        /** A shell command; `{files}` expands to the changed files. */
        run: Type.String({ minLength: 1 }),
        /** A glob for the files to check; all files if absent. */
        files: Type.Optional(Type.String({ minLength: 1 })),
        /** Whether a failed check rejects the change. */
        refuse: Type.Optional(Type.Boolean()),
        /** Timeout; default 60. */
        seconds: Type.Optional(Type.Integer({ minimum: 1, maximum: 600 })),
    },
    { additionalProperties: false, expected: "an object with run, files, refuse, seconds" }
);
export type CheckSetting = Type.Static<typeof check>;

const settings = {
    /** The model for new conversations; only `/model` writes it. */
    selectedModel: text("a model"),
    /** Model of sub-agents; the chat's if unset or of another provider. */
    exploreModel: text("a model"),
    /** Models (alias or ID) that continue a turn, in this order, when its model is overloaded. */
    fallbackModels: Type.Optional(list(Type.String(), { expected: "a list of models" })),
    /** Whether the model may have its vendor search the web, which is asked about like a page. */
    webSearch: Type.Optional(Type.Boolean({ expected: "true or false" })),
    /** The vendor's tier for requests; models that lack it are refused. */
    tier: Type.Optional(Type.Enum(["flex"], { expected: '"flex"' })),
    /** Where `north models --refresh` reads models and prices. */
    modelCatalogue: Type.Optional(
        Type.String({ pattern: "^https?://", expected: "an http(s) URL" })
    ),
    /** Spending limits after which the user is asked. A misspelt one is an error. */
    budget: Type.Optional(
        object(
            {
                perConversationUsd: amount,
                /** Across all projects, per day in the user's time zone. */
                perDayUsd: amount,
            },
            {
                additionalProperties: false,
                expected: "amounts above 0: perConversationUsd, perDayUsd",
            }
        )
    ),
    mode: Type.Optional(Type.Enum([...MODE_IDS])),
    /** Max requests per turn before the chat asks whether to continue. */
    askAfterRequests: Type.Optional(
        Type.Integer({ minimum: 1, expected: "a positive whole number" })
    ),
    notify: Type.Optional(Type.Enum(["off", "bell", "desktop"])),
    editingMode: Type.Optional(Type.Enum(["emacs", "vi"])),
    /** A command whose first output line replaces the status line. */
    statusLine: text("a shell command"),
    results: Type.Optional(resultFormat),
    /** Max size of what `/rescue` keeps per command. */
    rescueMegabytes: Type.Optional(
        Type.Number({ minimum: 0, expected: "a number of megabytes, 0 or more" })
    ),
    containment: Type.Optional(Type.Union([containmentMode, containment])),
    /** Commands whose exit code tells whether edits work, in addition to common tools. */
    checkCommands: Type.Optional(list(Type.String(), { expected: "a list of commands" })),
    /** Commands run on each change before its review. */
    checks: Type.Optional(list(check, { expected: "a list of checks" })),
};
const config = object(settings);
const configChecker = checker(config);

/** All settings; those after the schema's are checked where they are read. */
const NAMES = [...Object.keys(settings), "hooks", "models", "plugins", "providers"];

/** A symbol, so that no file can set it. */
const POLICY = Symbol("policy");

/** User settings. Unknown keys belong to plugins or newer versions. */
export type Config = Type.Static<typeof config> & {
    readonly [name: string]: unknown;
    readonly [POLICY]?: Policy;
};
export type BudgetSettings = NonNullable<Config["budget"]>;

export type ContainmentSettings = Required<Type.Static<typeof containment>>;

/** Containment settings with defaults; in the file, the mode alone is enough. */
export function containmentIn(config: Config): ContainmentSettings {
    const { containment: set } = config;
    const standard = { mode: "auto", show: [], hide: [], limits: {} } as const;
    const wanted = typeof set === "string" ? { ...standard, mode: set } : { ...standard, ...set };
    return { ...wanted, mode: policyIn(config)?.mode(wanted.mode) ?? wanted.mode };
}

/** The policy of this machine, which everything that reads these settings must follow. */
export function policyIn(config: Config): Policy | undefined {
    return config[POLICY];
}

/**
 * Reads `config.json` and the machine's policy; no file means no settings. Throws `config-corrupt`
 * if one is invalid, and leaves it in place because people edit it by hand.
 */
export async function readConfig(configFolder: string, policyFile?: string): Promise<Config> {
    const policy = await readPolicy(policyFile);
    return { ...(await readSettings(configFolder)), ...(policy && { [POLICY]: policy }) };
}

async function readSettings(configFolder: string): Promise<Config> {
    const file = path.join(configFolder, "config.json");
    const stored = await readJson(file);
    if (stored.kind === "absent") return {};
    if (stored.kind === "corrupt") throw corruptError(file, stored.reason);
    const problem = configChecker.problem(stored.value);
    if (problem !== undefined) throw corruptError(file, problem);
    const [misspelt] = unknownSettings(stored.value).filter(({ near }) => near !== undefined);
    if (misspelt) {
        const { name, near } = misspelt;
        throw corruptError(file, `there is no setting \`${name}\`; did you mean \`${near}\`?`);
    }
    return stored.value;
}

/** Settings that North does not know; `near` is the one that was probably meant. */
export function unknownSettings(
    stored: object
): readonly { readonly name: string; readonly near: string | undefined }[] {
    return Object.keys(stored)
        .filter((name) => !NAMES.includes(name))
        .map((name) => {
            const isCase = (known: string) => known.toLowerCase() === name.toLowerCase();
            return { name, near: NAMES.find(isCase) ?? nearName(name, NAMES) };
        });
}

/** Merges `changes` into `config.json`; `undefined` removes one. A corrupt file is set aside. */
export async function updateConfig(
    configFolder: string,
    changes: Config,
    report: Report
): Promise<void> {
    const named = path.join(configFolder, "config.json");
    // Keep symlinks: people link to a settings repository (dotfiles).
    const file = await ifAbsent(realpath(named), named);
    await updateJson(file, { report }, (config: JsonRecord) => Object.assign(config, changes));
}

function corruptError(file: string, reason: string): NorthError {
    const sentence = `${file} is invalid: ${reason}`;
    return new NorthError("config-corrupt", sentence.replace(/[^.?]$/, "$&."), [
        "Fix it, or delete it to use the default settings.",
    ]);
}
