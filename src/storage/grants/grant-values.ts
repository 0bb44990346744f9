import path from "node:path";
import * as Type from "typebox";
import { checker } from "../../base/json-schema.js";
import { visibleLine } from "../../base/safe-text.js";
import type { GrantSnapshot } from "../../core/approval/grants.js";
import type { AllowedCommand, AutomaticApprovals } from "../../plugin/index.js";
import type { JsonRecord } from "../files/json-file.js";
import { readHooks } from "../hook-settings.js";
import { type GrantId, idOf } from "./grant-id.js";
import { hookGrant } from "./hook-grants.js";

/** Files in `.north/` that can grant something. */
export type GrantFile = (typeof FILE_OF)[keyof typeof FILE_OF];

const FILE_OF = {
    command: "allowlist.json",
    automatic: "autoaccept.json",
    key: "permissions.json",
    memory: "memory.json",
    hook: "hooks.json",
} as const;
export const GRANT_FILES = Object.values(FILE_OF);

export type Grant =
    | ReturnType<typeof commandGrant>
    | ReturnType<typeof automaticGrant>
    | ReturnType<typeof keyGrant>
    | ReturnType<typeof memoryGrant>
    | ReturnType<typeof hookGrant>;

export function commandGrant(command: AllowedCommand) {
    const { command: line, cwd } = command;
    return {
        ...{ kind: "command" as const, id: idOf("command", line, cwd), command },
        description: `run \`${line}\` ${cwd === "" ? "at the root" : `in ${cwd}`}`,
        ...inList("allowedCommands", cwd === "" ? line : command, (element) =>
            commandsIn(element).some((each) => each.command === line && each.cwd === cwd)
        ),
    };
}

type Automatic = keyof AutomaticApprovals;
export const AUTOMATIC: readonly Automatic[] = ["editsAutoAccept", "shellAutoApprove"];

export function automaticGrant(name: Automatic) {
    return {
        ...{ kind: "automatic" as const, id: idOf("automatic", name), name },
        description: name === "editsAutoAccept" ? "apply every edit" : "run every command",
        addTo: (content: JsonRecord): JsonRecord => ({ ...content, [name]: true }),
        removeFrom: (content: JsonRecord): JsonRecord => ({ ...content, [name]: false }),
    };
}

export function keyGrant(key: string) {
    return {
        ...{ kind: "key" as const, id: idOf("key", key), key },
        description: `allow ${key}`,
        ...inList("allowedKeys", key, (element) => element === key),
    };
}

/** A note sent with every conversation about the project. */
export function memoryGrant(text: string) {
    return {
        ...{ kind: "memory" as const, id: idOf("memory", text), text },
        description: `tell the model: ${text}`,
        ...inList(
            "entries",
            { text, addedAt: new Date().toISOString() },
            (element) => noteIn(element) === text
        ),
    };
}

/** Returns functions that add and remove an entry in a list and keep everything else. */
function inList(list: string, entry: unknown, isEntry: (element: unknown) => boolean) {
    return {
        addTo: (content: JsonRecord): JsonRecord => ({
            ...content,
            [list]: [...elements(content[list]), entry],
        }),
        removeFrom: (content: JsonRecord): JsonRecord => ({
            ...content,
            [list]: elements(content[list]).filter((element) => !isEntry(element)),
        }),
    };
}

/** The id of a rule's check: a changed command needs a new permission. */
export function checkId(command: string): GrantId {
    return idOf("check", command);
}

export function fileOf({ kind }: Grant): GrantFile {
    return FILE_OF[kind];
}

/** The file of a grant known only by id; `undefined` for a check, and for ids of a newer North. */
export function fileOfId(id: GrantId): GrantFile | undefined {
    const parts: unknown = JSON.parse(id);
    const kind: unknown = Array.isArray(parts) ? parts[0] : undefined;
    return Object.entries(FILE_OF).find(([name]) => name === kind)?.[1];
}

/** Makes hidden text visible before the user decides: long blanks and invisible characters. */
export function onOneLine(text: string): string {
    return visibleLine(text.replace(/\s{4,}/gu, (blank) => `[${blank.length} blanks]`));
}

/** Normalizes the root to `""`; returns `undefined` for paths outside the repository. */
export function normalizeFolder(cwd: string): string | undefined {
    const normal = path.posix.normalize(cwd === "" ? "." : cwd).replace(/\/$/, "");
    if (normal === ".") return "";
    return normal === "" || normal === ".." || /^\.\.?\/|^\//.test(normal) ? undefined : normal;
}

/** Everything the file would grant in a repository; invalid entries grant nothing. */
export function grantsIn(file: GrantFile, content: JsonRecord, root: string): readonly Grant[] {
    switch (file) {
        case "allowlist.json":
            return elements(content.allowedCommands).flatMap(commandsIn).map(commandGrant);
        case "autoaccept.json":
            return AUTOMATIC.filter((name) => content[name] === true).map(automaticGrant);
        case "permissions.json":
            return elements(content.allowedKeys)
                .filter((key) => typeof key === "string")
                .map(keyGrant);
        case "memory.json":
            return elements(content.entries)
                .flatMap((entry) => noteIn(entry) ?? [])
                .map(memoryGrant);
        case "hooks.json":
            return readHooks(content.hooks).hooks.map((hook) =>
                hookGrant(hook, root, "repository")
            );
        default:
            return file satisfies never;
    }
}

function elements(value: unknown): readonly unknown[] {
    return Array.isArray(value) ? value : [];
}

const allowedCommand = checker(
    Type.Union([Type.String(), Type.Object({ command: Type.String(), cwd: Type.String() })])
);

/** The command of an entry, or nothing if invalid. */
function commandsIn(element: unknown): AllowedCommand[] {
    if (!allowedCommand.fits(element)) return [];
    if (typeof element === "string") return [{ command: element, cwd: "" }];
    const cwd = normalizeFolder(element.cwd);
    return cwd === undefined ? [] : [{ command: element.command, cwd }];
}

const note = checker(Type.Union([Type.String(), Type.Object({ text: Type.String() })]));

/** The text of an entry in `memory.json`; also a plain string, as people write it by hand. */
export function noteIn(entry: unknown): string | undefined {
    if (!note.fits(entry)) return undefined;
    return typeof entry === "string" ? entry : entry.text;
}

const lists = Type.Optional(Type.Array(Type.Unknown()));
const grantsFile = checker(
    Type.Object({ allowedCommands: lists, allowedKeys: lists, entries: lists })
);

/** Describes what is wrong with the part that grants, which makes the file corrupt. */
export function grantsProblem(content: JsonRecord): string | undefined {
    return grantsFile.problem(content);
}

export function toSnapshot(grants: readonly Grant[]): GrantSnapshot {
    const isOn = (name: Automatic) => grants.some(({ id }) => id === automaticGrant(name).id);
    return {
        allowedCommands: grants.flatMap((grant) => (grant.kind === "command" ? grant.command : [])),
        allowedKeys: grants.flatMap((grant) => (grant.kind === "key" ? grant.key : [])),
        editsAutoAccept: isOn("editsAutoAccept"),
        shellAutoApprove: isOn("shellAutoApprove"),
    };
}
