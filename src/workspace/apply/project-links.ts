import { lstatSync, readdirSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { Pacer } from "../../base/pacer.js";
import type { FileChange } from "../../plugin/index.js";
import { ALWAYS_IGNORED_FOLDERS } from "../ignore/always-ignored.js";
import { resolveInside } from "../safe-path.js";
import { settledStamp } from "../settled-stamp.js";

/** A link of the project and where it leads, both relative to the root. */
export interface Link {
    readonly path: string;
    readonly target: string;
}

interface FolderLinks {
    readonly stamp: string | undefined;
    readonly links: readonly string[];
    readonly folders: readonly string[];
}

const LIMIT_MS = 10_000;
/** Links can lead to each other in endless ways. */
const MAX_NAMES = 1_000;

/**
 * Finds the other names of a file: a program that obeys `.vscode/tasks.json` also obeys
 * `cfg/tasks.json` if `.vscode` is a link to `cfg`. Links inside dependencies do not count: package
 * managers link a workspace's own packages there.
 */
export class ProjectLinks {
    private known = new Map<string, FolderLinks>();

    constructor(private readonly root: string) {}

    /** The links as they are now, and those that a change set would add. */
    withLinksOf(changes: readonly FileChange[]): Promise<readonly Link[]> {
        return this.withLinks(
            changes.flatMap(({ type, path, after }) =>
                type === "link" && after !== null
                    ? { path, target: join(dirname(path), new TextDecoder().decode(after)) }
                    : []
            )
        );
    }

    /** `added`: targets relative to the root, or absolute. */
    async withLinks(added: readonly Link[]): Promise<readonly Link[]> {
        const found = (await this.find()).map((path) => ({ path, target: path }));
        const links: Link[] = [];
        for (const { path, target: leadsTo } of [...found, ...added]) {
            // Outside the project nothing is written.
            const resolved = await resolveInside(this.root, leadsTo).catch(() => undefined);
            if (resolved === undefined) continue;
            const target = relative(this.root, resolved.absolute);
            if (target !== path) links.push({ path, target });
        }
        return links;
    }

    private async find(): Promise<string[]> {
        const pacer = new Pacer("Looking for links in the project", LIMIT_MS);
        const seen = new Map<string, FolderLinks>();
        const pending = [""];
        for (let folder = pending.pop(); folder !== undefined; folder = pending.pop()) {
            const found = this.look(folder, this.known.get(folder));
            if (found === undefined) continue;
            seen.set(folder, found);
            pending.push(...found.folders);
            if (pacer.isDue) await pacer.yieldToEventLoop();
        }
        this.known = seen;
        return [...seen.values()].flatMap(({ links }) => links);
    }

    private look(folder: string, known: FolderLinks | undefined): FolderLinks | undefined {
        const absolute = join(this.root, folder);
        try {
            const stats = lstatSync(absolute);
            const stamp = settledStamp(stats);
            if (stamp !== undefined && known?.stamp === stamp) return known;
            if (!stats.isDirectory()) return undefined;
            const prefix = folder === "" ? "" : `${folder}/`;
            const entries = readdirSync(absolute, { withFileTypes: true });
            const links = entries.filter((entry) => entry.isSymbolicLink());
            const folders = entries.filter(
                (entry) => entry.isDirectory() && !ALWAYS_IGNORED_FOLDERS.has(entry.name)
            );
            return {
                stamp,
                links: links.map(({ name }) => prefix + name),
                folders: folders.map(({ name }) => prefix + name),
            };
        } catch {
            return undefined;
        }
    }
}

/** All names of a real path through links, itself excluded; `undefined` if there are too many. */
export function otherNames(real: string, links: readonly Link[]): readonly string[] | undefined {
    const names = new Set<string>();
    const pending: { readonly name: string; readonly used: readonly Link[] }[] = [
        { name: real, used: [] },
    ];
    for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
        const { name, used } = next;
        for (const link of links) {
            // A second time around a circle only repeats the same words.
            const rest = used.includes(link) ? undefined : restBelow(link.target, name);
            if (rest === undefined || names.has(link.path + rest)) continue;
            if (names.size === MAX_NAMES) return undefined;
            names.add(link.path + rest);
            pending.push({ name: link.path + rest, used: [...used, link] });
        }
    }
    names.delete(real);
    return [...names];
}

/** What follows the folder in a path inside it; `undefined` outside. Ignores case, as disks may. */
function restBelow(folder: string, path: string): string | undefined {
    if (folder === "") return `/${path}`;
    const rest = path.slice(folder.length);
    const isBelow = path.slice(0, folder.length).toLowerCase() === folder.toLowerCase();
    return isBelow && (rest === "" || rest.startsWith("/")) ? rest : undefined;
}
