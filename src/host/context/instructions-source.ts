import { readFile } from "node:fs/promises";
import path from "node:path";
import { foldersAbove } from "../../base/paths.js";
import { reminder } from "../../core/message/reminder.js";
import type {
    ContextPart,
    ContextRequest,
    ContextSource,
    ToldContext,
} from "../../plugin/index.js";
import {
    type Instructions,
    MAX_INSTRUCTIONS_BYTES,
    readInstructions,
} from "../../workspace/context/instructions.js";
import { withinBytes } from "./rules-source.js";

const OWN = "AGENTS.md";
const KIND = "instructions";

interface Found extends Instructions {
    readonly id: string;
    readonly title: string;
}

/** The user's instructions for all projects, the repository's, and those of the folders in use. */
export function instructionsSource(configFolder: string): ContextSource {
    return {
        name: "instructions",
        async begin(request) {
            const found = await Promise.all([readOwn(configFolder), readFolder("", request)]);
            return partsOf(found, request.told);
        },
        async forFiles(files, request) {
            const folders = [...new Set(files.flatMap(foldersAbove))];
            const unread = folders.filter((folder) => !request.told.has(folderId(folder)));
            const found = await Promise.all(unread.map((folder) => readFolder(folder, request)));
            return partsOf(found, request.told);
        },
    };
}

/** Follows links, unlike a repository's: this file is the user's own. */
async function readOwn(configFolder: string): Promise<Found | undefined> {
    const file = path.join(configFolder, OWN);
    const content = await readFile(file, "utf8").catch(() => "");
    const text = withinBytes(content.trim(), MAX_INSTRUCTIONS_BYTES);
    const title = "Instructions from the user for all projects";
    return { id: "user instructions", title, path: file, text };
}

async function readFolder(
    folder: string,
    { guidance }: ContextRequest
): Promise<Found | undefined> {
    const found = await readInstructions(guidance, folder);
    const path = folder === "" ? "this project" : `everything in ${folder}/`;
    return found && { ...found, id: folderId(folder), title: `Instructions for ${path}` };
}

/** Names a file with the same text instead of repeating it: many folders have copies. */
function partsOf(found: readonly (Found | undefined)[], told: ToldContext): ContextPart[] {
    const parts: ContextPart[] = [];
    const origins = new Map<string, string | undefined>();
    for (const { id, kind, text, origin } of told.values()) {
        if (kind !== KIND || found.some((each) => each?.id === id)) continue;
        origins.set(withoutTitle(text), origin);
    }
    for (const each of found) {
        if (each === undefined || each.text === "") continue;
        const { id, title, path: origin } = each;
        const heading = `# ${title} (${origin})`;
        const whole = `${heading}\n\n${each.text}`;
        const key = withoutTitle(reminder(whole));
        const same = origins.get(key);
        if (same === undefined) origins.set(key, origin);
        const text =
            same === undefined || same === origin ? whole : `${heading}\n\nThe same as ${same}.`;
        parts.push({ kind: KIND, id, text, origin });
    }
    return parts;
}

function withoutTitle(text: string): string {
    return text.slice(text.indexOf("\n\n"));
}

function folderId(folder: string): string {
    return path.posix.join(folder, "AGENTS.md");
}
