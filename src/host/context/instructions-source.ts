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
    INSTRUCTION_NAMES,
    type Instructions,
    readInstructions,
    readOwnInstructions,
} from "./instruction-files.js";

const KIND = "instructions";
const OWN_ID = "user instructions";

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
            return partsOf(found.flat(), request.told);
        },
        async forFiles(files, request) {
            const folders = [...new Set(files.flatMap(foldersAbove))];
            const isUnread = (folder: string) =>
                !INSTRUCTION_NAMES.some((name) => request.told.has(path.posix.join(folder, name)));
            const unread = folders.filter(isUnread);
            const found = await Promise.all(unread.map((folder) => readFolder(folder, request)));
            return partsOf(found.flat(), request.told);
        },
    };
}

async function readOwn(configFolder: string): Promise<readonly Found[]> {
    const files = await readOwnInstructions(path.join(configFolder, "AGENTS.md"));
    return files.map((file) => ({
        ...file,
        id: file.importedBy === undefined ? OWN_ID : file.path,
        title: titleOf(file, "Instructions from the user for all projects"),
    }));
}

async function readFolder(folder: string, request: ContextRequest): Promise<readonly Found[]> {
    const place = folder === "" ? "this project" : `everything in ${folder}/`;
    const files = await readInstructions(request, folder);
    return files.map((file) => ({
        ...file,
        id: file.path,
        title: titleOf(file, `Instructions for ${place}`),
    }));
}

function titleOf({ importedBy }: Instructions, title: string): string {
    return importedBy === undefined ? title : `${title}, imported by ${importedBy}`;
}

/** Names a file with the same text instead of repeating it: many folders have copies. */
function partsOf(found: readonly Found[], told: ToldContext): ContextPart[] {
    const parts: ContextPart[] = [];
    const origins = new Map<string, string | undefined>();
    for (const { id, kind, text, origin } of told.values()) {
        if (kind !== KIND || found.some((each) => each.id === id)) continue;
        origins.set(withoutTitle(text), origin);
    }
    for (const { id, title, path: origin, text: content } of found) {
        const heading = `# ${title} (${origin})`;
        const whole = `${heading}\n\n${content}`;
        const key = withoutTitle(reminder(whole));
        const same = origins.get(key);
        if (same === undefined) origins.set(key, origin);
        // Files of several folders may import the same one.
        const isTold = withoutTitle(told.get(id)?.text ?? "") === key;
        if (isTold || parts.some((part) => part.id === id)) continue;
        const text =
            same === undefined || same === origin ? whole : `${heading}\n\nThe same as ${same}.`;
        parts.push({ kind: KIND, id, text, origin });
    }
    return parts;
}

function withoutTitle(text: string): string {
    return text.slice(text.indexOf("\n\n"));
}
