import { chmodSync, lstatSync, mkdirSync, truncateSync, utimesSync, writeFileSync } from "node:fs";
import path from "node:path";
import { readRegularFile } from "../../../base/read-regular-file.js";
import { withoutCredentials } from "../without-credentials.js";

const MAX_SETTINGS = 1024 ** 2;

/**
 * An overlay layer that replaces secrets with unreadable files. It hides all of them at once; one
 * mount per secret would be slow, and the command could not delete it.
 */
export class Mask {
    private made = 0;
    private known = "";

    constructor(
        /** The folder for the layers. */
        private readonly base: string,
        private readonly prefix: string,
        /** What is masked. */
        private readonly root: string,
        /** Whether a file is shown without its credentials. */
        private readonly isSettings: (file: string) => boolean = () => false
    ) {}

    /** Returns the layer's name; creates a new one if a file has changed. `undefined` without files. */
    over(files: readonly string[]): string | undefined {
        const wanted = files.flatMap((file) => this.describe(file) ?? []).join("\n");
        if (wanted === "") return undefined;
        const isKnown = this.made > 0 && wanted === this.known;
        const name = `${this.prefix}-${isKnown ? this.made : ++this.made}`;
        if (isKnown) return name;
        this.known = wanted;
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
        const settings = this.isSettings(file)
            ? readSettings(path.join(this.root, file))
            : undefined;
        if (settings !== undefined) return writeFileSync(place, settings, { mode: 0o600 });
        writeFileSync(place, "");
        // Same size and mtime as the original, so that git sees no change.
        if (original.isFile()) truncateSync(place, original.size);
        utimesSync(place, original.atime, original.mtime);
        chmodSync(place, original.isFile() ? original.mode & 0o111 : 0);
    }

    private describe(file: string): string | undefined {
        const status = lstatSync(path.join(this.root, file), { throwIfNoEntry: false });
        if (!status || status.isDirectory()) return status && file;
        return `${file} ${status.size} ${status.mtimeMs} ${status.mode}`;
    }
}

/** Without credentials; `undefined` for what is no short file. */
export function readSettings(file: string): string | undefined {
    const text = readRegularFile(file, MAX_SETTINGS, "follow");
    return text?.isWhole ? withoutCredentials(text.bytes.toString("utf8")) : undefined;
}

/** Copies a folder's mode and times, which the top layer determines. */
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
