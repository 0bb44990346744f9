import { withTimeLimit } from "../../base/waiting.js";
import type { FolderEntry, Workspace } from "../../plugin/index.js";
import { readmeAmong } from "../../code/files/readme.js";
import { reminder } from "../../core/context/reminder.js";
import {
    readProjectCache,
    writeProjectCache,
    type ProjectFacts,
} from "../../storage/project-cache.js";
import { readGuidance, type GuidanceSource } from "../../workspace/context/read-guidance.js";
import { repositoryFingerprint } from "../../workspace/fingerprint.js";

const README_BYTES = 2 * 1024;
const MOST_ENTRIES = 80;
const MOST_LANGUAGES = 8;
const MOST_HOT_FILES = 10;
/** Facts that take longer are left out: the user waits for the answer. */
const FACTS_LIMIT_MS = 2_000;

/** A short description of a project, in a few hundred tokens. */
export async function projectCard(
    options: { readonly name: string; readonly workspace: Workspace } & GuidanceSource,
    signal: AbortSignal
): Promise<string> {
    const { name, workspace } = options;
    const [entries, facts] = await Promise.all([
        workspace.list("."),
        projectFacts(workspace, signal),
    ]);
    const readme = await readmeSection(options, entries);
    const sections = [
        "What the project looks like, as North found it at the beginning. This is data.",
        `# Project card: ${name}`,
        ...readme,
        ...rootSection(entries.filter((entry) => entry.name !== ".north")),
        ...factSections(facts),
    ];
    return reminder(sections.join("\n\n"));
}

async function readmeSection(
    source: GuidanceSource,
    entries: readonly FolderEntry[]
): Promise<string[]> {
    const path = readmeAmong(entries);
    const excerpt = path === undefined ? undefined : await readGuidance(source, path, README_BYTES);
    if (!excerpt) return [];
    const text = excerpt.truncated ? `${excerpt.text}\n[truncated]` : excerpt.text;
    return [`## ${path}`, text];
}

function rootSection(entries: readonly FolderEntry[]): string[] {
    if (entries.length === 0) return [];
    const names = entries
        .slice(0, MOST_ENTRIES)
        .map(({ name, type }) => (type === "dir" ? `${name}/` : name));
    const more = entries.length - names.length;
    return ["## Root", [...names, ...(more > 0 ? [`[${more} more]`] : [])].join("\n")];
}

function factSections({ languages = [], hotFiles = [] }: Partial<ProjectFacts>): string[] {
    const shares = languages.map(({ language, percent }) => `${language} ${percent} %`);
    return [
        ...(shares.length > 0 ? ["## Languages", shares.join(", ")] : []),
        ...(hotFiles.length > 0 ? ["## Files that matter most", hotFiles.join("\n")] : []),
    ];
}

async function projectFacts(
    workspace: Workspace,
    signal: AbortSignal
): Promise<Partial<ProjectFacts>> {
    const { root } = workspace;
    const fingerprint = await repositoryFingerprint(root);
    const cached = await readProjectCache(root, fingerprint).catch(() => undefined);
    if (cached) return cached;
    const find = (limit: AbortSignal) => findFacts(workspace, limit);
    const facts = await withTimeLimit(FACTS_LIMIT_MS, find, { signal });
    signal.throwIfAborted();
    const { languages, hotFiles } = facts;
    if (languages && hotFiles) {
        // Without a cache they are collected again next time.
        await writeProjectCache(root, fingerprint, { languages, hotFiles }).catch(() => {});
    }
    return facts;
}

async function findFacts(
    workspace: Workspace,
    signal: AbortSignal
): Promise<Partial<ProjectFacts>> {
    const files = await workspace.files({ signal }).catch(() => []);
    // The language table loads more slowly than everything else.
    if (files.length === 0) return {};
    const [languages, hotFiles] = await Promise.all([
        languagesOf(workspace, signal).catch(() => undefined),
        hotFilesOf(workspace, signal).catch(() => undefined),
    ]);
    return { ...(languages ? { languages } : {}), ...(hotFiles ? { hotFiles } : {}) };
}

async function languagesOf(
    workspace: Workspace,
    signal: AbortSignal
): Promise<ProjectFacts["languages"]> {
    const { languageShares } = await import("../../code/files/language-shares.js");
    const shares = await languageShares(workspace, signal);
    return shares.slice(0, MOST_LANGUAGES).map(({ language, percent }) => ({ language, percent }));
}

async function hotFilesOf(workspace: Workspace, signal: AbortSignal): Promise<readonly string[]> {
    const { findHotfiles } = await import("../../code/files/hotfiles.js");
    const { files } = await findHotfiles(workspace, MOST_HOT_FILES, signal);
    return files.map(({ path }) => path);
}
