import {
    chmodSync,
    constants,
    copyFileSync,
    mkdirSync,
    rmSync,
    symlinkSync,
    utimesSync,
    writeFileSync,
} from "node:fs";
import path from "node:path";
import { errorCode } from "../../../base/system-error.js";
import { statsOf, type View } from "./view.js";

export const DEVICES = ["null", "zero", "full", "random", "urandom", "tty"];

/** The new root itself: mount points, links, and copies of single files. */
export class Skeleton {
    private readonly copied = new Map<string, string>();

    constructor(
        private readonly folder: string,
        private readonly view: View
    ) {
        const { shown, folders, links } = view;
        for (const { path: location } of shown) this.make(location);
        for (const location of folders) this.make(location);
        this.makeDevices();
        for (const [location, target] of links) {
            const around = view.around(location)?.what;
            if (around === undefined || around === "home") this.link(location, target);
        }
        this.refresh();
    }

    /** Copies files that have changed. */
    refresh(): void {
        for (const [location, source] of this.view.files) {
            const status = statsOf(source);
            const signature =
                status && `${status.ino} ${status.size} ${status.mtimeMs} ${status.mode}`;
            if (signature === this.copied.get(location)) continue;
            const copy = this.at(location);
            this.copied.delete(location);
            rmSync(copy, { force: true });
            if (!status?.isFile()) continue;
            this.make(path.dirname(location));
            try {
                const content = this.view.contentOf(location, source);
                if (content === undefined) continue;
                if (content !== "whole") {
                    writeFileSync(copy, content, { flag: "wx" });
                } else {
                    copyFileSync(
                        source,
                        copy,
                        constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE
                    );
                }
                chmodSync(copy, status.mode & 0o777);
                utimesSync(copy, status.atime, status.mtime);
            } catch (error) {
                // What this user cannot read, a command cannot either.
                if (errorCode(error) !== "EACCES") throw error;
            }
            this.copied.set(location, signature ?? "");
        }
    }

    private makeDevices(): void {
        for (const name of DEVICES) writeFileSync(this.at("dev", name), "");
        this.link("/dev/fd", "/proc/self/fd");
        for (const [index, name] of ["stdin", "stdout", "stderr"].entries()) {
            this.link(`/dev/${name}`, `/proc/self/fd/${index}`);
        }
        this.link("/dev/ptmx", "pts/ptmx");
    }

    /** A folder on the same way takes precedence: something is shown below. */
    private link(location: string, target: string): void {
        this.make(path.dirname(location));
        try {
            symlinkSync(target, this.at(location));
        } catch (error) {
            if (errorCode(error) !== "EEXIST") throw error;
        }
    }

    private make(location: string): void {
        mkdirSync(this.at(location), { recursive: true });
    }

    private at(...names: readonly string[]): string {
        return path.join(this.folder, ...names);
    }
}
