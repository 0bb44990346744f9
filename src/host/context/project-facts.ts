import { within } from "../../base/waiting.js";
import type { Workspace } from "../../plugin/index.js";
import {
    readProjectCache,
    writeProjectCache,
    type KeptFacts,
    type ProjectFacts,
} from "../../storage/project-cache.js";
import { repositoryMarks } from "../../workspace/fingerprint.js";

const MOST_LANGUAGES = 8;
const MOST_HOT_FILES = 10;
/** The user waits for the answer, not for facts that are nice to have. */
const PATIENCE_MS = 100;

/**
 * Finds the facts of a project beside everything else. Each is kept when it is found; one that is
 * out of date serves until its successor is there.
 */
export class FactFinder {
    private kept: KeptFacts = {};
    private reading: Promise<void> | undefined;
    private running: Promise<void> | undefined;
    private readonly ended = new AbortController();

    constructor(
        private readonly workspace: Workspace,
        private readonly patienceMs = PATIENCE_MS
    ) {}

    /** Begins in the background; never rejects. */
    begin(): void {
        if (this.ended.signal.aborted) return;
        this.running ??= this.refresh()
            .catch(() => {})
            .finally(() => (this.running = undefined));
    }

    /** What is kept, or found soon. */
    async known(): Promise<Partial<ProjectFacts>> {
        this.begin();
        await this.readKept();
        await within(this.patienceMs, Promise.resolve(this.running), () => {});
        const { languages, hotFiles } = this.kept;
        return {
            ...(languages && { languages: languages.value }),
            ...(hotFiles && { hotFiles: hotFiles.value }),
        };
    }

    /** Ends the search; what was found is kept. */
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
        // The language table loads more slowly than everything else.
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
        // Where nothing can be kept, it is found again next time.
        await writeProjectCache(this.workspace.root, this.kept).catch(() => {});
    }
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
