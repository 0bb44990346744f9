import path from "node:path";
import { absolutePath, foldersAbove } from "../../base/paths.js";
import { type Fence, fenceAfter } from "../../core/files/fence.js";
import { reminder } from "../../core/message/reminder.js";
import type { ContextPart, ContextRequest, ContextSource, SentParts } from "../../plugin/index.js";
import { lstat, readFile, realpath } from "node:fs/promises";
import { isSecretFile } from "../../base/secrets/secret-files.js";
import { ifAbsent } from "../../base/system-error.js";
import { mentionsIn } from "../../core/message/attachments.js";
import { withinBytes } from "./rules-source.js";

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
            return partsOf(found.flat(), request.sent);
        },
        async forFiles(files, request) {
            const folders = [...new Set(files.flatMap(foldersAbove))];
            const isUnread = (folder: string) =>
                !INSTRUCTION_NAMES.some((name) => request.sent.has(path.posix.join(folder, name)));
            const unread = folders.filter(isUnread);
            const found = await Promise.all(unread.map((folder) => readFolder(folder, request)));
            return partsOf(found.flat(), request.sent);
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
function partsOf(found: readonly Found[], sent: SentParts): ContextPart[] {
    const parts: ContextPart[] = [];
    const origins = new Map<string, string | undefined>();
    for (const { id, kind, text, origin } of sent.values()) {
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
        const isSent = withoutTitle(sent.get(id)?.text ?? "") === key;
        if (isSent || parts.some((part) => part.id === id)) continue;
        const text =
            same === undefined || same === origin ? whole : `${heading}\n\nThe same as ${same}.`;
        parts.push({ kind: KIND, id, text, origin });
    }
    return parts;
}

function withoutTitle(text: string): string {
    return text.slice(text.indexOf("\n\n"));
}

const MAX_FILE_BYTES = 32 * 1024;
/** Of one folder with its imports: a context source may send no more. */
const MAX_FILES = 50;
const MAX_TOTAL_BYTES = 64 * 1024;
/** How many imports may lead to a file, as in Claude Code and Gemini CLI. */
const MAX_HOPS = 5;

/** Claude Code's, Gemini CLI's and Copilot's files, which count where a folder has no AGENTS.md. */
const NAMES_ELSEWHERE = [
    { name: "CLAUDE.md", hasImports: true },
    { name: ".claude/CLAUDE.md", hasImports: true },
    { name: "CLAUDE.local.md", hasImports: true },
    { name: "GEMINI.md", hasImports: true },
    { name: ".github/copilot-instructions.md", hasImports: false },
];
const NAME = "AGENTS.md";
const INSTRUCTION_NAMES = [NAME, ...NAMES_ELSEWHERE.map(({ name }) => name)];

interface Instructions {
    /** Relative to the repository's root, or absolute for the user's own. */
    readonly path: string;
    readonly text: string;
    readonly importedBy?: string;
}

/** Reads a file by its absolute path; `undefined` if there is none, or none to send. */
type Read = (absolute: string) => Promise<string | undefined>;

/** A folder's files of instructions with what they import; `""` is the repository's root. */
async function readInstructions(
    { guidance, workspace: { root } }: Pick<ContextRequest, "guidance" | "workspace">,
    folder: string
): Promise<readonly Instructions[]> {
    const read: Read = async (absolute) => {
        const file = await guidance(path.relative(root, absolute), MAX_FILE_BYTES);
        return file && (file.truncated ? `${file.text}\n[truncated]` : file.text);
    };
    const place = path.join(root, folder);
    const readOnce = async (file: string) =>
        (await isLinkToAnother(file, place)) ? undefined : read(file);
    const text = await readOnce(path.join(place, NAME));
    if (text !== undefined) return [{ path: path.posix.join(folder, NAME), text }];
    const files = new InstructionFiles(readOnce, root);
    for (const { name, hasImports } of NAMES_ELSEWHERE) {
        await files.add(path.join(place, name), hasImports);
    }
    return files.found;
}

/** The user's own instructions. Unlike a repository's they may be links, and import any text. */
async function readOwnInstructions(file: string): Promise<readonly Instructions[]> {
    const read: Read = async (absolute) => {
        if (isSecretFile(absolute, absolute)) return "[not sent: it looks like a secret]";
        const text = await readFile(absolute, "utf8").catch(() => "");
        if (text.trim() === "" || text.includes("\0")) return undefined;
        return withinBytes(text.trim(), MAX_FILE_BYTES);
    };
    const files = new InstructionFiles(read, "/");
    await files.add(file, true);
    return files.found;
}

/** One of the names is often a link to another, which is read anyway. */
async function isLinkToAnother(file: string, folder: string): Promise<boolean> {
    const statusOf = (each: string) => lstat(each).catch(() => undefined);
    if (!(await statusOf(file))?.isSymbolicLink()) return false;
    const target = await ifAbsent(realpath(file), file);
    for (const name of INSTRUCTION_NAMES) {
        const other = path.join(folder, name);
        const isFile = (await statusOf(other))?.isFile() === true;
        if (isFile && (await realpath(other)) === target) return true;
    }
    return false;
}

/** Collects files and what they import, each once. */
class InstructionFiles {
    readonly found: Instructions[] = [];
    private readonly known = new Set<string>();
    private bytes = 0;

    constructor(
        private readonly read: Read,
        /** Paths below it are named relative to it. */
        private readonly root: string
    ) {}

    async add(file: string, hasImports: boolean, importers: readonly string[] = []): Promise<void> {
        const isFull = this.bytes > MAX_TOTAL_BYTES || this.found.length > MAX_FILES;
        if (isFull || this.known.has(file)) return;
        this.known.add(file);
        const text = await this.read(file);
        if (text === undefined) return;
        this.bytes += Buffer.byteLength(text);
        const importedBy = importers.at(-1);
        const name = this.nameOf(file);
        this.found.push({ path: name, text, importedBy });
        if (!hasImports || importers.length === MAX_HOPS) return;
        for (const { candidates } of mentionsIn(withoutCode(text))) {
            const imported = await firstFile(path.dirname(file), candidates);
            if (imported !== undefined) await this.add(imported, true, [...importers, name]);
        }
    }

    private nameOf(file: string): string {
        return this.root === "/" ? file : path.relative(this.root, file);
    }
}

async function firstFile(
    folder: string,
    candidates: readonly string[]
): Promise<string | undefined> {
    for (const candidate of candidates) {
        const file = absolutePath(candidate, folder);
        const status = await lstat(file).catch(() => undefined);
        if (status?.isFile() || status?.isSymbolicLink()) return file;
    }
    return undefined;
}

/** Code in backticks or between fences imports nothing. */
function withoutCode(text: string): string {
    let fence: Fence | undefined;
    const lines = text.split("\n").map((line) => {
        const before = fence;
        fence = fenceAfter(line, before);
        return before || fence ? "" : line.replace(/`[^`]*`/g, " ");
    });
    return lines.join("\n");
}
