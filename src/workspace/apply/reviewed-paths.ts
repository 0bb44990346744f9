import { existsSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { runGit } from "../../base/git.js";
import { isInside } from "../../base/paths.js";
import { isInDependencies } from "../ignore/always-ignored.js";
import { runsLater } from "../../plugin/runs-later.js";
import { GitPrograms } from "./git-programs.js";
import { type Link, otherNames, ProjectLinks } from "./project-links.js";

/**
 * Finds the ignored paths that are reviewed like any other: those that git tracks all the same, those
 * of a repository inside the ignored folder, and those that git's settings, `PATH` or a link make
 * something run.
 */
export class ReviewedPaths {
    private readonly links: ProjectLinks;
    private readonly git: GitPrograms;

    /** `searchPath`: the value of `PATH`. */
    constructor(
        private readonly root: string,
        private readonly searchPath = ""
    ) {
        this.links = new ProjectLinks(root);
        this.git = new GitPrograms(root);
    }

    /** The test for one path, relative to the root; `added`: links that a command made. */
    async reviewed(added: readonly Link[]): Promise<(path: string) => boolean> {
        const counting = added.filter(({ path }) => !isInDependencies(path, "file"));
        const links = await this.links.withLinks(counting).catch(() => undefined);
        const isNamedByGit = await this.git.current();
        const tracked = await this.tracked();
        const programs = this.programFolders();
        const repositories = new Map<string, boolean>();
        const isInRepository = (folder: string): boolean => {
            if (folder === ".") return false;
            const known =
                repositories.get(folder) ??
                (existsSync(join(this.root, folder, ".git")) || isInRepository(dirname(folder)));
            repositories.set(folder, known);
            return known;
        };
        return (path) => {
            if (tracked.has(path) || isNamedByGit(path)) return true;
            if (programs.some((folder) => path.startsWith(folder))) return true;
            if (isInRepository(dirname(path))) return true;
            const others = links && otherNames(path, links);
            // Too many links to follow may hide any name.
            return others === undefined || others.some(runsLater);
        };
    }

    private async tracked(): Promise<ReadonlySet<string>> {
        const listing = ["ls-files", "-z", "--cached", "--ignored", "--exclude-standard"];
        const listed = await runGit(this.root, listing);
        return new Set(listed?.stdout.toString("utf8").split("\0"));
    }

    private programFolders(): string[] {
        const folders = this.searchPath.split(":").filter((folder) => folder.startsWith("/"));
        return folders
            .filter((folder) => folder !== this.root && isInside(this.root, folder))
            .map((folder) => `${relative(this.root, folder)}/`);
    }
}
