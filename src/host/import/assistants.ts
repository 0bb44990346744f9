import { absolutePath, canAccess } from "../../base/paths.js";
import { type Fields, isFields } from "../../base/fields.js";
import { readRegularFile } from "../../base/read-regular-file.js";
import { messageOf } from "../../base/system-error.js";
import { claude } from "./claude.js";
import { codex } from "./codex.js";
import { ForeignFile, type ForeignSetting, type ForeignAssistant } from "./foreign-setting.js";
import { opencode } from "./opencode.js";
import { copilot, cursor, gemini } from "./others.js";

const MAX_BYTES = 16 * 1024 * 1024;

export const FOREIGN_ASSISTANTS: readonly ForeignAssistant[] = [
    claude,
    codex,
    gemini,
    cursor,
    copilot,
    opencode,
];

interface ForeignPlace {
    readonly home: string;
    /** The project's root. */
    readonly root: string;
}

export interface FoundAssistant {
    readonly tool: string;
    readonly title: string;
    readonly settings: readonly ForeignSetting[];
}

/** Reads an assistant's files; `undefined` if it has none here. */
export async function readAssistant(
    { id, title, files, instructions, projectInstructions = [], others = [] }: ForeignAssistant,
    { home, root }: ForeignPlace
): Promise<FoundAssistant | undefined> {
    const settings: ForeignSetting[] = [];
    let isFound = false;
    const open = (name: string) => new ForeignFile(name, !name.startsWith("~/"), root, settings);
    for (const { path: name, read } of files) {
        const file = open(name);
        // In the home folder people link to a repository of their settings.
        const links = file.isProject ? "refuse" : "follow";
        const content = readRegularFile(absolutePath(name, root, home), MAX_BYTES, links);
        if (content === undefined) continue;
        isFound = true;
        try {
            if (!content.isWhole) throw new Error("it is larger than 16 MB");
            await read(file, await parse(name, new TextDecoder().decode(content.bytes)));
        } catch (error) {
            file.leave(name, `it cannot be read: ${messageOf(error).split("\n")[0]}`);
        }
    }
    const exists = (name: string) => canAccess(absolutePath(name, root, home));
    if (instructions !== undefined && exists(instructions)) {
        open(instructions).take("instructions", { kind: "instructions", file: instructions });
    }
    const replaced = exists("AGENTS.md") ? projectInstructions : [];
    const replacedBy = (name: string) => ({ path: name, reason: "`AGENTS.md` counts instead" });
    for (const { path: name, reason } of [...replaced.map(replacedBy), ...others]) {
        if (exists(name)) open(name).leave(name, reason);
    }
    return isFound || settings.length > 0 ? { tool: id, title, settings } : undefined;
}

/** Comments and trailing commas are allowed, as these programs allow them. */
async function parse(name: string, text: string): Promise<Fields> {
    if (name.endsWith(".toml")) return (await import("smol-toml")).parse(text);
    const { default: stripJsonComments } = await import("strip-json-comments");
    const value: unknown = JSON.parse(stripJsonComments(text, { trailingCommas: true }));
    if (!isFields(value)) throw new Error("it is not an object");
    return value;
}
