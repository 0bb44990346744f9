import * as Type from "typebox";
import { checker } from "../../base/json-schema.js";
import path from "node:path";
import type { AllowedCommand } from "../../plugin/index.js";
import type { GrantSnapshot } from "../../core/approval/grants.js";
import type { JsonRecord } from "../files/json-file.js";

/** The files in `.north/` that grant something. */
export const GRANT_FILES = ["allowlist.json", "autoaccept.json", "permissions.json"] as const;
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
    | { readonly kind: "key"; readonly key: string };

export function grantId(grant: Grant): GrantId {
    switch (grant.kind) {
        case "command":
            return JSON.stringify(["command", grant.command.command, grant.command.cwd]);
        case "automatic":
            return JSON.stringify(["automatic", grant.name]);
        case "key":
            return JSON.stringify(["key", grant.key]);
        default:
            return grant satisfies never;
    }
}

const FILE_OF = {
    command: "allowlist.json",
    automatic: "autoaccept.json",
    key: "permissions.json",
} as const satisfies Record<Grant["kind"], GrantFile>;

export function fileOf(grant: Grant): GrantFile {
    return FILE_OF[grant.kind];
}

/** The file of a grant of which only the id is known; `undefined` for one of a newer North. */
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
            return grant.key;
        default:
            return grant satisfies never;
    }
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

const lists = Type.Optional(Type.Array(Type.Unknown()));
const grantsFile = checker(Type.Object({ allowedCommands: lists, allowedKeys: lists }));

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
