import * as Type from "typebox";
import { checker } from "../../base/json-schema.js";
import path from "node:path";
import type { AllowedCommand } from "../../plugin/index.js";
import type { GrantSnapshot } from "../../core/approval/grants.js";
import { hooksIn, type HookSetting } from "../hook-settings.js";
import type { JsonRecord } from "../files/json-file.js";

/** The files in `.north/` that grant something. */
export const GRANT_FILES = [
    "allowlist.json",
    "autoaccept.json",
    "permissions.json",
    "memory.json",
    "hooks.json",
] as const;
export type GrantFile = (typeof GRANT_FILES)[number];

/**
 * One thing that is granted, as text that identifies it. Trust and files are compared by these, so
 * that spelling an entry differently changes nothing.
 */
export type GrantId = string;

/** One thing that is granted. */
export type Grant =
    | { readonly kind: "command"; readonly command: AllowedCommand }
    | { readonly kind: "automatic"; readonly name: "editsAutoAccept" | "shellAutoApprove" }
    | { readonly kind: "key"; readonly key: string }
    /** A note that goes along with every conversation about the project. */
    | { readonly kind: "memory"; readonly text: string }
    | { readonly kind: "hook"; readonly hook: HookSetting };

export function grantId(grant: Grant): GrantId {
    switch (grant.kind) {
        case "command":
            return JSON.stringify(["command", grant.command.command, grant.command.cwd]);
        case "automatic":
            return JSON.stringify(["automatic", grant.name]);
        case "key":
            return JSON.stringify(["key", grant.key]);
        case "memory":
            return JSON.stringify(["memory", grant.text]);
        case "hook":
            return JSON.stringify(["hook", ...Object.values(grant.hook)]);
        default:
            return grant satisfies never;
    }
}

/** Names the command of a rule: another text is another permission. */
export function checkId(command: string): GrantId {
    return JSON.stringify(["check", command]);
}

const FILE_OF = {
    command: "allowlist.json",
    automatic: "autoaccept.json",
    key: "permissions.json",
    memory: "memory.json",
    hook: "hooks.json",
} as const satisfies Record<Grant["kind"], GrantFile>;

export function fileOf(grant: Grant): GrantFile {
    return FILE_OF[grant.kind];
}

/** The file of a grant of which only the id is known; `undefined` for a check, and one of a newer North. */
export function fileOfId(id: GrantId): GrantFile | undefined {
    const parts: unknown = JSON.parse(id);
    const kind: unknown = Array.isArray(parts) ? parts[0] : undefined;
    return Object.entries(FILE_OF).find(([name]) => name === kind)?.[1];
}

/** For a person who decides whether to believe it. */
export function describeGrant(grant: Grant): string {
    switch (grant.kind) {
        case "command": {
            const { command, cwd } = grant.command;
            return `run \`${command}\` ${cwd === "" ? "at the root" : `in ${cwd}`}`;
        }
        case "automatic":
            return grant.name === "editsAutoAccept" ? "apply every edit" : "run every command";
        case "key":
            return `allow ${grant.key}`;
        case "memory":
            return `tell the model: ${grant.text}`;
        case "hook": {
            const { event, matcher, command } = grant.hook;
            return `run \`${command}\` at each ${event}${matcher === "" ? "" : ` of ${matcher}`}`;
        }
        default:
            return grant satisfies never;
    }
}

/** Nothing of what is decided may hide: neither behind blanks nor as a character that does not show. */
export function onOneLine(text: string): string {
    return text
        .replace(/\s{4,}/gu, (blank) => `[${blank.length} blanks]`)
        .replace(/(?! )[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}]/gu, (character) =>
            character === "\n" ? "⏎" : `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`
        );
}

/** The root is `""` however it is written; `undefined` for what is no folder of the repository. */
export function normalizeFolder(cwd: string): string | undefined {
    const normal = path.posix.normalize(cwd === "" ? "." : cwd).replace(/\/$/, "");
    if (normal === ".") return "";
    return normal === "" || normal === ".." || /^\.\.?\/|^\//.test(normal) ? undefined : normal;
}

/** Everything a file's content would grant; entries that make no sense grant nothing. */
export function grantsIn(file: GrantFile, content: JsonRecord): Grant[] {
    switch (file) {
        case "allowlist.json":
            return elements(content.allowedCommands).flatMap((element) => commandGrant(element));
        case "autoaccept.json":
            return (["editsAutoAccept", "shellAutoApprove"] as const)
                .filter((name) => content[name] === true)
                .map((name) => ({ kind: "automatic", name }));
        case "permissions.json":
            return elements(content.allowedKeys)
                .filter((key) => typeof key === "string")
                .map((key) => ({ kind: "key", key }));
        case "memory.json":
            return elements(content.entries)
                .flatMap((entry) => noteIn(entry) ?? [])
                .map((text) => ({ kind: "memory", text }));
        case "hooks.json":
            return hooksIn(content.hooks).map((hook) => ({ kind: "hook", hook }));
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

function commandGrant(element: unknown): Grant[] {
    if (!allowedCommand.fits(element)) return [];
    if (typeof element === "string") {
        return [{ kind: "command", command: { command: element, cwd: "" } }];
    }

    const cwd = normalizeFolder(element.cwd);
    if (cwd === undefined) return [];
    return [{ kind: "command", command: { command: element.command, cwd } }];
}

const note = checker(Type.Union([Type.String(), Type.Object({ text: Type.String() })]));

/** The text of an entry of `memory.json`; people edit it by hand, and a plain text is one too. */
export function noteIn(entry: unknown): string | undefined {
    if (!note.fits(entry)) return undefined;
    return typeof entry === "string" ? entry : entry.text;
}

const lists = Type.Optional(Type.Array(Type.Unknown()));
const grantsFile = checker(
    Type.Object({ allowedCommands: lists, allowedKeys: lists, entries: lists })
);

/** What is wrong with the part of the content that grants; then the file is corrupt. */
export function grantsProblem(content: JsonRecord): string | undefined {
    return grantsFile.problem(content);
}

/** The content with the grant in it; everything else stays as it is. */
export function withGrant(content: JsonRecord, grant: Grant): JsonRecord {
    switch (grant.kind) {
        case "command": {
            const { command, cwd } = grant.command;
            const element = cwd === "" ? command : { command, cwd };
            return {
                ...content,
                allowedCommands: [...elements(content.allowedCommands), element],
            };
        }
        case "automatic":
            return { ...content, [grant.name]: true };
        case "key":
            return { ...content, allowedKeys: [...elements(content.allowedKeys), grant.key] };
        case "memory": {
            const added = { text: grant.text, addedAt: new Date().toISOString() };
            return { ...content, entries: [...elements(content.entries), added] };
        }
        // The user writes these.
        case "hook":
            return content;
        default:
            return grant satisfies never;
    }
}

/** The content without the grant, however often it was there. */
export function withoutGrant(content: JsonRecord, grant: Grant): JsonRecord {
    const id = grantId(grant);
    switch (grant.kind) {
        case "command": {
            const isOther = (element: unknown) =>
                !commandGrant(element).some((each) => grantId(each) === id);
            return {
                ...content,
                allowedCommands: elements(content.allowedCommands).filter(isOther),
            };
        }
        case "automatic":
            return { ...content, [grant.name]: false };
        case "key":
            return {
                ...content,
                allowedKeys: elements(content.allowedKeys).filter((key) => key !== grant.key),
            };
        case "memory":
            return {
                ...content,
                entries: elements(content.entries).filter((entry) => noteIn(entry) !== grant.text),
            };
        case "hook":
            return content;
        default:
            return grant satisfies never;
    }
}

export function toSnapshot(grants: readonly Grant[]): GrantSnapshot {
    const isOn = (name: string) =>
        grants.some((grant) => grant.kind === "automatic" && grant.name === name);
    return {
        allowedCommands: grants.flatMap((grant) => (grant.kind === "command" ? grant.command : [])),
        allowedKeys: grants.flatMap((grant) => (grant.kind === "key" ? grant.key : [])),
        editsAutoAccept: isOn("editsAutoAccept"),
        shellAutoApprove: isOn("shellAutoApprove"),
    };
}
