import { realpath } from "node:fs/promises";
import path from "node:path";
import { type FrontMatter, readFrontMatter } from "../../base/front-matter.js";
import { firstWords } from "../../base/format.js";
import { NorthError } from "../../base/north-error.js";
import type { SlashCommand } from "../../plugin/index.js";
import { markdownFilesBelow } from "../guides/markdown-files.js";
import { openOwnText, type ReadText } from "../guides/own-text.js";
import { sendTemplate } from "./send-template.js";

interface CommandFile {
    /** With `:` in place of folder separators. */
    readonly name: string;
    readonly owner: "project" | "user" | "north";
    readonly origin: string;
    readonly file: string;
    readonly read: ReadText;
}

const NOT_READ = { fields: {} as FrontMatter["fields"], body: "" };
/** Of North, Claude Code, Cursor, opencode (both are in use) and Copilot, in this order. */
const PROJECT_FOLDERS = [
    ...[".north/commands", ".claude/commands", ".cursor/commands"],
    ...[".opencode/command", ".opencode/commands", ".github/prompts"],
];
const NAME = /^[a-z][a-z0-9_:.-]*$/;
/** For the list; the largest published commands have 75 KB. */
const MAX_HEAD_BYTES = 16 * 1024;
const MAX_BYTES = 1024 * 1024;
/** Further commands work, but are listed without a description. */
const MAX_DESCRIBED = 300;

/**
 * Slash commands from Markdown files, as defined in https://code.claude.com/docs/en/slash-commands.
 * If a name is taken, it is prefixed with its owner: `/user:review`. Repositories often have the
 * same command for several assistants: the first one counts.
 */
export async function markdownCommands({
    root,
    configFolder,
    shippedFolder,
    taken,
}: {
    readonly root?: string | undefined;
    readonly configFolder?: string | undefined;
    /** North's own; without front matter, which would load a YAML parser at each start. */
    readonly shippedFolder?: string;
    readonly taken: readonly string[];
}): Promise<readonly SlashCommand[]> {
    const inProject =
        root === undefined ? [] : PROJECT_FOLDERS.map((each) => projectFiles(root, each));
    const ofUser =
        configFolder === undefined
            ? []
            : [commandFiles(path.join(configFolder, "commands"), "user")];
    const shipped = shippedFolder === undefined ? [] : [commandFiles(shippedFolder, "north")];
    const found = (await Promise.all([...inProject, ...ofUser, ...shipped])).flat();
    const files = found.filter(
        ({ name, owner }, index) =>
            index === found.findIndex((each) => each.name === name && each.owner === owner)
    );
    const names = new Set(taken);
    const named = files.flatMap((file) => {
        const name = names.has(file.name) ? `${file.owner}:${file.name}` : file.name;
        if (names.has(name)) return [];
        names.add(name);
        return [{ ...file, name }];
    });
    const commands = await Promise.all(
        named.map((file, index) => toSlashCommand(file, root, index < MAX_DESCRIBED))
    );
    return commands.filter((command) => command !== undefined);
}

async function projectFiles(root: string, folder: string): Promise<readonly CommandFile[]> {
    const [realRoot, real] = await Promise.all([
        realpath(root),
        realpath(path.join(root, folder)),
    ]).catch(() => []);
    if (!real?.startsWith(`${realRoot}${path.sep}`)) return [];
    return commandFiles(real, "project", folder);
}

async function commandFiles(
    folder: string,
    owner: CommandFile["owner"],
    shown = folder
): Promise<readonly CommandFile[]> {
    const real = await realpath(folder).catch(() => undefined);
    if (real === undefined) return [];
    const files = await markdownFilesBelow(real);
    return files
        .map((file) => ({
            name: file
                .replace(/(?:\.prompt)?\.md$/, "")
                .replaceAll("/", ":")
                .toLowerCase(),
            owner,
            origin: path.posix.join(shown, file),
            file,
            read: openOwnText(real),
        }))
        .filter(({ name }) => NAME.test(name));
}

async function toSlashCommand(
    command: CommandFile,
    projectFolder: string | undefined,
    isDescribed: boolean
): Promise<SlashCommand | undefined> {
    const { name, origin } = command;
    const head = isDescribed ? await readTemplate(command, MAX_HEAD_BYTES) : NOT_READ;
    if (head === undefined) return undefined;
    const { description = head.body.replace(/^#+ (.*)[^]*/, "$1") } = head.fields;
    const hint = hintOf(head.fields["argument-hint"]);
    return {
        name,
        description: firstWords(String(description)),
        usage: `/${name} ${hint}`,
        origin,
        async run(argumentsText, context) {
            const current = await readTemplate(command, MAX_BYTES);
            if (current === undefined) throw new NorthError("not-found", `${origin} is gone.`);
            if (current.truncated) throw new NorthError("too-large", `${origin} is over 1 MB.`);
            await sendTemplate(current.body, argumentsText, projectFolder, context);
        },
    };
}

async function readTemplate({ file, read }: CommandFile, maxBytes: number) {
    const text = await read(file, maxBytes);
    if (text === undefined) return undefined;
    const { truncated } = text;
    const template = await readFrontMatter(text.text);
    return template.body === "" && !truncated ? undefined : { ...template, truncated };
}

/** YAML parses `[a]` as a list. */
function hintOf(hint: unknown): string {
    if (Array.isArray(hint)) return `[${hint.join(", ")}]`;
    return typeof hint === "string" && hint.trim() !== "" ? hint.trim() : "[arguments]";
}
