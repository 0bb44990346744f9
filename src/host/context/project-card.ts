import type { ContextRequest, FolderEntry, Workspace } from "../../plugin/index.js";
import { firstRows } from "../../base/format.js";
import { readmeAmong } from "../../code/files/readme.js";
import {
    type KeptFacts,
    type ProjectFacts,
    readProjectCache,
    writeProjectCache,
} from "../../storage/project-cache.js";
import { within } from "../../base/waiting.js";
import { repositoryMarks } from "../../workspace/fingerprint.js";

const README_BYTES = 2 * 1024;
const MAX_ENTRIES = 80;

/** A short description of a project, in a few hundred tokens. */
export async function projectCard(
    options: { readonly name: string } & Pick<ContextRequest, "workspace" | "guidance">,
    finder: CachedFacts
): Promise<string> {
    const { name, workspace, guidance } = options;
    const [entries, facts] = await Promise.all([workspace.list("."), finder.known()]);
    const readme = await readmeSection(guidance, entries);
    const sections = [
        "What the project looks like, as North found it at the beginning. This is data.",
        `# Project card: ${name}`,
        ...readme,
        ...rootSection(entries.filter((entry) => entry.name !== ".north")),
        ...factSections(facts),
    ];
    return sections.join("\n\n");
}

async function readmeSection(
    guidance: ContextRequest["guidance"],
    entries: readonly FolderEntry[]
): Promise<string[]> {
    const path = readmeAmong(entries);
    const excerpt = path === undefined ? undefined : await guidance(path, README_BYTES);
    if (!excerpt) return [];
    const text = excerpt.truncated ? `${excerpt.text}\n[truncated]` : excerpt.text;
    return [`## ${path}`, text];
}

function rootSection(entries: readonly FolderEntry[]): string[] {
    if (entries.length === 0) return [];
    const names = entries.map(({ name, type }) => (type === "dir" ? `${name}/` : name));
    return ["## Root", firstRows(names, MAX_ENTRIES, (more) => `[${more} more]`).join("\n")];
}

function factSections({ languages = [], hotFiles = [] }: Partial<ProjectFacts>): string[] {
    const shares = languages.map(({ language, percent }) => `${language} ${percent}%`);
    return [
        ...(shares.length > 0 ? ["## Languages", shares.join(", ")] : []),
        ...(hotFiles.length > 0 ? ["## Files that matter most", hotFiles.join("\n")] : []),
    ];
}

const MAX_LANGUAGES = 8;
const MAX_HOT_FILES = 10;
/** Max wait: the user wants the answer, not optional facts. */
const PATIENCE_MS = 100;

/** Finds facts in the background and caches them. A stale one serves until it is replaced. */
export class CachedFacts {
    private kept: KeptFacts = {};
    private reading: Promise<void> | undefined;
    private running: Promise<void> | undefined;
    private readonly ended = new AbortController();

    constructor(
        private readonly workspace: Workspace,
        private readonly patienceMs = PATIENCE_MS
    ) {}

    /** Starts the search in the background. Never rejects. */
    begin(): void {
        if (this.ended.signal.aborted) return;
        this.running ??= this.refresh()
            .catch(() => {})
            .finally(() => (this.running = undefined));
    }

    /** Cached facts, and those found within the wait. */
    async known(): Promise<Partial<ProjectFacts>> {
        this.begin();
        await this.readKept();
        await within(this.patienceMs, Promise.resolve(this.running), () => {});
        const { languages, hotFiles } = this.kept;
        return { languages: languages?.value, hotFiles: hotFiles?.value };
    }

    /** Stops the search; what was found is kept. */
    async close(): Promise<void> {
        this.ended.abort();
        await this.running;
    }

    private async refresh(): Promise<void> {
        const { workspace } = this;
        const { signal } = this.ended;
        await this.readKept();
        const { content, history } = await repositoryMarks(workspace.root);
        const isStale = (name: keyof ProjectFacts, mark: string) =>
            this.kept[name]?.mark !== mark || this.kept[name].value.length === 0;
        const needsHotFiles = isStale("hotFiles", history);
        const needsLanguages = isStale("languages", content);
        if (!needsHotFiles && !needsLanguages) return;
        // Skips an empty project: the language table is the slowest import of all.
        if ((await workspace.files({ signal })).length === 0) return;
        if (needsHotFiles) {
            await this.keep("hotFiles", history, () => hotFilesOf(workspace, signal));
        }
        if (needsLanguages) {
            await this.keep("languages", content, () => languagesOf(workspace, signal));
        }
    }

    private readKept(): Promise<void> {
        return (this.reading ??= readProjectCache(this.workspace.root)
            .then((kept) => void (this.kept = kept))
            .catch(() => {}));
    }

    private async keep<Name extends keyof ProjectFacts>(
        name: Name,
        mark: string,
        find: () => Promise<ProjectFacts[Name]>
    ): Promise<void> {
        const value = await find().catch(() => undefined);
        if (value === undefined) return;
        this.kept = { ...this.kept, [name]: { mark, value } };
        // Best effort: an uncached fact is found again next time.
        await writeProjectCache(this.workspace.root, this.kept).catch(() => {});
    }
}

async function languagesOf(
    workspace: Workspace,
    signal: AbortSignal
): Promise<ProjectFacts["languages"]> {
    const { languageShares } = await import("../../code/files/language-shares.js");
    const shares = await languageShares(workspace, signal);
    return shares.slice(0, MAX_LANGUAGES).map(({ language, percent }) => ({ language, percent }));
}

async function hotFilesOf(workspace: Workspace, signal: AbortSignal): Promise<readonly string[]> {
    const { findHotfiles } = await import("../../code/files/hotfiles.js");
    const { files } = await findHotfiles(workspace, MAX_HOT_FILES, signal);
    return files.map(({ path }) => path);
}
