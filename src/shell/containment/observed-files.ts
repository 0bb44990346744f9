import { mkdir, readFile, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { requireGit } from "../../base/git.js";
import { gitDirectories } from "../../base/git-directory.js";
import { NorthError } from "../../base/north-error.js";
import { sha256 } from "../../base/sha256.js";
import type { ChangedFile, FileChange } from "../../plugin/index.js";
import { createPrivateFolder, removeTree } from "../private-folder.js";
import { entryAt } from "./effects/layer.js";
import { changesOf, type ComparedFile, comparedFiles } from "./repository/committed-files.js";
import { ObjectReader } from "./repository/layered-git.js";

/** Bytes as they are on disk, whatever the repository's attributes say. */
const ATTRIBUTES = "* -text -filter -ident -eol -working-tree-encoding\n";
const SETTINGS = {
    "core.autocrlf": "false",
    "core.compression": "0",
    "core.fileMode": "true",
    "core.logAllRefUpdates": "false",
    "gc.auto": "0",
};
const SUBMODULE = "160000";

/**
 * Tells what commands change in a project's files that git does not ignore. A repository of its own,
 * outside the project, holds a tree of them before and after, so the project's is not touched.
 */
export class ObservedFiles {
    private opening: Promise<ObjectReader> | undefined;
    private folder: string | undefined;

    /** `folders` may hold that repository, best first. */
    constructor(
        private readonly root: string,
        private readonly folders: readonly string[]
    ) {}

    /** Resolves to what then tells what changed since. Both reject with `git-failed`. */
    async observe() {
        const reader = await (this.opening ??= this.open());
        const before = await tree(reader);
        return async () => {
            const pair = [before, await tree(reader)];
            const compared = await comparedFiles(reader, ["diff-tree", "-r", ...pair]);
            const own = compared.filter(({ modes }) => !modes.includes(SUBMODULE));
            const { files: changes, more } = await changesOf(reader, own);
            const byPath = new Map(own.map((each) => [each.path, each]));
            const files = changes.map((change) => this.recorded(change, byPath.get(change.path)));
            return { changes, files, more };
        };
    }

    async dispose(): Promise<void> {
        await this.opening?.catch(() => {});
        if (this.folder !== undefined) await removeTree(this.folder);
    }

    private async open(): Promise<ObjectReader> {
        for (const folder of this.folders) {
            await mkdir(folder, { recursive: true, mode: 0o700 }).catch(() => {});
        }
        const folders = [...this.folders, tmpdir()];
        const base = await createPrivateFolder("contained", folders, this.root);
        if (base === undefined) {
            throw new NorthError("git-failed", "There is no folder outside the project.");
        }
        this.folder = base;
        const variables = { GIT_DIR: path.join(base, "observed") };
        const git = (...words: string[]) => requireGit(this.root, words, { variables });
        await git("init", "--quiet", "--template=");
        for (const [name, value] of Object.entries(SETTINGS)) await git("config", name, value);
        const info = path.join(variables.GIT_DIR, "info");
        await mkdir(info, { recursive: true });
        await writeFile(path.join(info, "attributes"), ATTRIBUTES);
        const repository = await gitDirectories(this.root);
        if (repository) {
            const excluded = await readFile(path.join(repository.common, "info/exclude")).catch(
                () => ""
            );
            await writeFile(path.join(info, "exclude"), excluded);
        }
        return new ObjectReader(this.root, variables);
    }

    /** Git knows of a mode only whether the file can be executed. */
    private recorded({ after, beforeHash, ...change }: FileChange, compared?: ComparedFile) {
        const [before = "", now = ""] = compared?.modes ?? [];
        const mode = entryAt(path.join(this.root, change.path))?.stats.mode;
        const modeAfter = (mode ?? Number.parseInt(now, 8)) & 0o777;
        const modeBefore = before === now ? modeAfter : Number.parseInt(before, 8) & 0o777;
        const { path: file, type, typeBefore } = change;
        return {
            path: file,
            ...(type !== undefined && { type }),
            ...(typeBefore !== undefined && { typeBefore }),
            beforeHash,
            afterHash: after && sha256(after),
            ...(beforeHash !== null && { modeBefore }),
            ...(after !== null && { modeAfter }),
        } satisfies ChangedFile;
    }
}

/** An unreadable file is left out, so that it does not hide the others. */
async function tree(reader: ObjectReader): Promise<string> {
    await reader.read(["add", "--all", "--ignore-errors", "--", "."]);
    return (await reader.need(["write-tree"])).trim();
}
