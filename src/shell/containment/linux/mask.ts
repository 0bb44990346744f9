import { chmodSync, lstatSync, mkdirSync, truncateSync, utimesSync, writeFileSync } from "node:fs";
import path from "node:path";
import { bytesOf } from "../../../base/byte-names.js";
import { foldersAbove } from "../../../base/paths.js";
import { standInFor } from "../../../base/secrets/stand-in.js";

/** What is hidden of a folder; paths are relative to it, and made by `nameOf`. */
export interface Masked {
    readonly secrets: readonly string[];
    /** Git settings with credentials. */
    readonly gitSettings: readonly string[];
}

/**
 * An overlay layer that replaces secrets with unreadable files, and settings with stand-ins without
 * their credentials. It hides all of them at once; one mount per secret would be slow, and the
 * command could not delete it.
 */
export class Mask {
    private made = 0;
    private known = "";

    constructor(
        private readonly base: string,
        private readonly name: string,
        private readonly root: string,
        /** What precedes the paths for the rule for secrets. */
        private readonly prefix = ""
    ) {}

    /**
     * Returns the layer's name in the base folder; creates a new one if a file has changed.
     * `undefined` without files. `at` says where a file is, if not in the root.
     */
    over({ secrets, gitSettings }: Masked, at = this.inRoot): string | undefined {
        // A closed folder may hold repositories.
        const files = outermost([...secrets, ...gitSettings]);
        const wanted = files.flatMap((file) => describe(file, at(file)) ?? []).join("\n");
        if (wanted === "") return undefined;
        if (this.made > 0 && wanted === this.known) return `${this.name}-${this.made}`;
        this.known = wanted;
        const name = `${this.name}-${++this.made}`;
        const mask = path.join(this.base, name);
        mkdirSync(mask);
        const git = new Set(gitSettings);
        for (const file of files) this.hide(file, at(file), path.join(mask, file), git.has(file));
        for (const folder of new Set([".", ...files.flatMap(foldersAbove)])) {
            copyTimes(bytesOf(at(folder)), bytesOf(path.join(mask, folder)));
        }
        return name;
    }

    private readonly inRoot = (file: string) => path.join(this.root, file);

    private hide(file: string, location: string, name: string, isGit: boolean): void {
        const hidden = bytesOf(location);
        const original = lstatSync(hidden, { throwIfNoEntry: false });
        if (!original) return;
        mkdirSync(bytesOf(path.dirname(name)), { recursive: true });
        const standInPath = bytesOf(name);
        // A link may lead to what the command does not see.
        const standIn = original.isFile()
            ? standInFor(path.join(this.prefix, file), hidden, isGit)
            : undefined;
        writeFileSync(standInPath, standIn ?? "");
        // Same size and mtime as the original, so that git sees no change.
        if (original.isFile()) truncateSync(standInPath, original.size);
        utimesSync(standInPath, original.atime, original.mtime);
        chmodSync(standInPath, original.isFile() ? original.mode & (standIn ? 0o777 : 0o111) : 0);
    }
}

function describe(file: string, location: string): string | undefined {
    const status = lstatSync(bytesOf(location), { throwIfNoEntry: false });
    // What is in a hidden folder does not matter.
    if (!status || status.isDirectory()) return status && file;
    return `${file} ${status.size} ${status.mtimeMs} ${status.mode}`;
}

/** Copies a folder's mode and times, which the top layer determines. */
export function copyTimes(from: string | Buffer, to: string | Buffer): void {
    const status = lstatSync(from, { throwIfNoEntry: false });
    if (!status?.isDirectory()) return;
    mkdirSync(to, { recursive: true });
    chmodSync(to, status.mode & 0o7777);
    utimesSync(to, status.atime, status.mtime);
}

/** Without paths inside another one: a stand-in for a folder hides everything in it. */
export function outermost(files: readonly string[]): readonly string[] {
    const all = new Set(files);
    return [...all].filter((file) => !foldersAbove(file).some((folder) => all.has(folder)));
}
