import { createHash } from "node:crypto";
import { statSync } from "node:fs";
import { homedir } from "node:os";
import path from "node:path";
import { isFolder, leavesFolder, resolveRealPath } from "../../base/paths.js";
import { readRegularFile } from "../../base/read-regular-file.js";
import type { JsonRecord } from "../files/json-file.js";
import type { HookSetting } from "../hook-settings.js";
import { type GrantId, idOf } from "./grant-id.js";
import type { Trust } from "./trust.js";

/** A hook, and why it does not run now although the user wants it. */
export interface TrustedHook extends HookSetting {
    readonly suspended?: string;
}

const MAX_FILE_BYTES = 16 * 1024 * 1024;

/**
 * A hook of the repository, or of the user's own settings. The bytes of the project's files that
 * it names are part of its id, so a permission ends when anybody changes one of them.
 */
export function hookGrant(hook: HookSetting, root: string, owner: "user" | "repository") {
    const isOwn = owner === "user";
    const { event, matcher, condition, command, seconds, args, blocksOnFailure } = hook;
    const files = placesNamed(hook, root).filter((location) => isFile(path.join(root, location)));
    const rest = JSON.stringify({ args, blocksOnFailure, condition });
    const more = rest === "{}" ? [] : [rest];
    const hash = files.length === 0 ? [] : [hashOf(files, root)];
    const line = args ? JSON.stringify([command, ...args]) : command;
    const only = condition === undefined ? "" : ` if ${condition}`;
    const when = `on each ${event}${matcher === "" ? "" : ` of ${matcher}`}${only}`;
    const own = isOwn ? "your hook " : "";
    const named = files.length === 0 ? "" : `, with ${files.join(", ")} as now`;
    // Hooks are written by the user only.
    const unchanged = (content: JsonRecord) => content;
    return {
        ...{ kind: "hook" as const, isOwn, hook, files },
        id: idOf(isOwn ? "own-hook" : "hook", event, matcher, command, seconds, ...more, ...hash),
        description: `run ${own}\`${line}\` ${when}${named}`,
        ...{ addTo: unchanged, removeFrom: unchanged },
    };
}

type HookGrant = ReturnType<typeof hookGrant>;

/** The hooks that run, and those that would if their files were as the user allowed them. */
export function trustedHooks(
    brought: readonly HookGrant[],
    own: readonly HookGrant[],
    trust: Trust
): readonly TrustedHook[] {
    return [...own, ...brought].flatMap((grant): readonly TrustedHook[] => {
        const { isOwn, id, hook, files } = grant;
        if (!needsTrust(grant) || trust.granted.has(id)) return [hook];
        if (trust.declined.has(id)) return [];
        const names = files.join(", ");
        if (isOtherVersion(grant, trust.granted)) {
            return [{ ...hook, suspended: `${names} changed since you allowed it` }];
        }
        if (!isOwn) return [];
        return [{ ...hook, suspended: `it uses ${names} of this repository` }];
    });
}

/** The user's own hook needs none, unless the repository provides a part of it. */
export function needsTrust({ isOwn, files }: Pick<HookGrant, "isOwn" | "files">): boolean {
    return !isOwn || files.length > 0;
}

/** Whether the same hook was allowed with other contents of its files. */
function isOtherVersion({ id, files }: HookGrant, granted: ReadonlySet<GrantId>): boolean {
    if (files.length === 0) return false;
    const parts: readonly unknown[] = JSON.parse(id);
    const stem = JSON.stringify(parts.slice(0, -1)).slice(0, -1);
    return [`${stem},`, `${stem}]`].some((start) =>
        [...granted].some((other) => other.startsWith(start))
    );
}

const WORD = /(?:"[^"]*"|'[^']*'|\\.|[^\s;&|()<>"'`=\\])+/gs;
const PROJECT =
    /\$(?:\{(?:CLAUDE_PROJECT_DIR|NORTH_PROJECT_DIR|PWD)\}|(?:CLAUDE_PROJECT_DIR|NORTH_PROJECT_DIR|PWD)\b)/g;

/**
 * Paths in the project that a hook's words could mean, relative to it, also of files that do not
 * exist yet. A word also counts inside each folder that another word names, as after `cd`.
 */
export function placesNamed({ command, args }: HookSetting, root: string): readonly string[] {
    const lines = args ? [command, ...args] : wordsIn(command);
    // `bash -c "sh a.sh"`: a word may be a command itself.
    const words = new Set([...lines, ...lines.flatMap(wordsIn)]);
    const paths = [...words].map((word) =>
        path.resolve(
            root,
            word.replace(PROJECT, () => root).replace(/^(?:~|\$HOME)(?=\/)/, homedir())
        )
    );
    const folders = paths.filter((location) => isFolder(location));
    const within = folders.flatMap((folder) =>
        [...words].map((word) => path.resolve(folder, word))
    );
    const all = [...paths, ...within].flatMap((location) => [
        location,
        resolveRealPath(location) ?? location,
    ]);
    const inside = all.map((location) => path.relative(root, location));
    return [...new Set(inside)]
        .filter((location) => location !== "" && !leavesFolder(location))
        .sort();
}

function wordsIn(text: string): string[] {
    const words = text.match(WORD) ?? [];
    return words.map((word) => word.replace(/^"(.*)"$|^'(.*)'$/s, "$1$2").replace(/["'\\]/g, ""));
}

function isFile(path: string): boolean {
    return statSync(path, { throwIfNoEntry: false })?.isFile() === true;
}

function hashOf(files: readonly string[], root: string): string {
    const hash = createHash("sha256");
    for (const file of files) {
        const bytes = readRegularFile(path.join(root, file), MAX_FILE_BYTES, "follow")?.bytes;
        hash.update(`${file}\0${bytes?.length ?? -1}\0`).update(bytes ?? "");
    }
    return hash.digest("hex");
}
