import { readdirSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join, relative, resolve } from "node:path";
import { attempt } from "../../base/attempt.js";
import { gitConfig } from "../../base/git-config.js";
import { gitDirectories } from "../../base/git-directory.js";
import { isInside, resolveRealPath } from "../../base/paths.js";
import { hasGit } from "../find-root.js";
import { stampOf } from "../ignore/read-ignore-file.js";

/** What git runs or obeys in a project, relative to the root, in lower case. */
interface GitRuns {
    readonly files: ReadonlySet<string>;
    /** All their files are run. */
    readonly folders: readonly string[];
}

const NOTHING: GitRuns = { files: new Set(), folders: [] };

const FOLDER_SETTINGS = ["core.hookspath", "init.templatedir"];

/**
 * Finds the files that git runs or obeys because its settings name them (a filter, an alias, a file
 * system monitor, an included file) or its hooks lead to them. Any word of any setting counts: a
 * list of settings would lag behind git.
 */
export class GitPrograms {
    private listed: { readonly stamp: string; readonly runs: GitRuns } | undefined;
    private origins: readonly string[] = [];

    constructor(private readonly root: string) {}

    /** Returns the test for one real path, relative to the root. */
    async current(): Promise<(path: string) => boolean> {
        const { files, folders } = await this.runs();
        return (path) => {
            const name = path.toLowerCase();
            return files.has(name) || folders.some((folder) => name.startsWith(`${folder}/`));
        };
    }

    private async runs(): Promise<GitRuns> {
        const git = hasGit(this.root) ? await gitDirectories(this.root) : undefined;
        if (git === undefined) return NOTHING;
        const hooks = join(git.common, "hooks");
        const own = [join(git.common, "config"), join(git.own, "config.worktree"), hooks];
        const stamp = (): string =>
            [...own, ...userSettings(), ...this.origins]
                .map((file) => stampOf(file, "follow"))
                .join();
        if (this.listed?.stamp !== stamp()) {
            const runs = await this.read(hooks);
            this.listed = { stamp: stamp(), runs };
        }
        return this.listed.runs;
    }

    private async read(hooks: string): Promise<GitRuns> {
        const files = new Set<string>();
        const folders = new Set<string>();
        const origins = new Set<string>();
        const add = (to: Set<string>, location: string): void => {
            for (const name of [location, resolveRealPath(location)]) {
                if (name === undefined || name === this.root || !isInside(this.root, name)) {
                    continue;
                }
                to.add(relative(this.root, name).toLowerCase());
            }
        };
        for (const { file, key, value } of await gitConfig(this.root)) {
            origins.add(file);
            add(files, file);
            const to = FOLDER_SETTINGS.includes(key) ? folders : files;
            for (const word of [value, ...value.split(/[\s;&|()<>"'`=!,]+/)]) {
                const location = word.replace(/^~(?=\/)/, homedir());
                if (word === "") continue;
                add(to, resolve(this.root, location));
                // Included files are named relative to the one that includes them.
                if (/^include/.test(key)) add(files, resolve(dirname(file), location));
            }
        }
        add(folders, hooks);
        for (const name of attempt(() => readdirSync(hooks), [])) add(files, join(hooks, name));
        this.origins = [...origins];
        return { files, folders: [...folders] };
    }
}

function userSettings(): string[] {
    const { GIT_CONFIG_GLOBAL, XDG_CONFIG_HOME } = process.env;
    const folder = XDG_CONFIG_HOME || join(homedir(), ".config");
    return [GIT_CONFIG_GLOBAL || join(homedir(), ".gitconfig"), join(folder, "git", "config")];
}
