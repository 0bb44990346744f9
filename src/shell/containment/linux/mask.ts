import { chmodSync, lstatSync, mkdirSync, truncateSync, utimesSync, writeFileSync } from "node:fs";
import path from "node:path";

/**
 * A layer over the project with what must not be read, as files that nobody may open. One on top
 * hides every secret at once, where a mount for each would cost time and could not be deleted.
 */
export class Mask {
    private made = 0;
    private known = "";

    constructor(
        private readonly base: string,
        private readonly root: string
    ) {}

    /** The layer's name in the base folder. A new one where a file has changed since the last. */
    over(files: readonly string[]): string {
        const wanted = files.flatMap((file) => this.describe(file) ?? []).join("\n");
        if (this.made > 0 && wanted === this.known) return `mask-${this.made}`;
        this.known = wanted;
        const name = `mask-${++this.made}`;
        const mask = path.join(this.base, name);
        mkdirSync(mask);
        for (const file of files) this.hide(file, path.join(mask, file));
        for (const folder of foldersOf(files)) {
            copyTimes(path.join(this.root, folder), path.join(mask, folder));
        }
        return name;
    }

    private hide(file: string, place: string): void {
        const original = lstatSync(path.join(this.root, file), { throwIfNoEntry: false });
        if (!original) return;
        mkdirSync(path.dirname(place), { recursive: true });
        writeFileSync(place, "");
        // As large and as old as the original, so that git does not take it for another.
        if (original.isFile()) truncateSync(place, original.size);
        utimesSync(place, original.atime, original.mtime);
        chmodSync(place, original.isFile() ? original.mode & 0o111 : 0);
    }

    private describe(file: string): string | undefined {
        const status = lstatSync(path.join(this.root, file), { throwIfNoEntry: false });
        return status && `${file} ${status.size} ${status.mtimeMs} ${status.mode}`;
    }
}

/** Mode and times of a folder, which the uppermost layer decides. */
export function copyTimes(from: string, to: string): void {
    const status = lstatSync(from, { throwIfNoEntry: false });
    if (!status?.isDirectory()) return;
    mkdirSync(to, { recursive: true });
    chmodSync(to, status.mode & 0o7777);
    utimesSync(to, status.atime, status.mtime);
}

function foldersOf(files: readonly string[]): string[] {
    const folders = new Set(["."]);
    for (const file of files) {
        for (let each = path.dirname(file); each !== "."; each = path.dirname(each)) {
            folders.add(each);
        }
    }
    return [...folders];
}
