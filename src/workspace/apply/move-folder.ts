import {
    closeSync,
    constants,
    fchmodSync,
    fstatSync,
    lstatSync,
    mkdirSync,
    openSync,
    readdirSync,
    renameSync,
    rmdirSync,
} from "node:fs";
import { errorCode } from "../../base/system-error.js";

/**
 * Renames what is at a path. A folder of a container's image cannot be renamed: then what is in it is
 * moved.
 */
export function moveWhole(from: string, to: string): void {
    try {
        renameSync(from, to);
    } catch (error) {
        if (errorCode(error) !== "EXDEV") throw error;
        if (!mergeInto(from, to)) throw error;
    }
}

/** Moves what is in a folder to another, where its name is free; whether that was all. */
export function mergeInto(from: string, to: string): boolean {
    const isNew = lstatSync(to, { throwIfNoEntry: false }) === undefined;
    if (isNew) mkdirSync(to, 0o700);
    const isAll = withFolder(from, (source) =>
        withFolder(to, (target) => {
            const names = readdirSync(at(source));
            const moved = names.map((name) => moveEntry(at(source, name), at(target, name)));
            if (isNew) fchmodSync(target, fstatSync(source).mode & PERMISSIONS);
            return moved.every(Boolean);
        })
    );
    if (isAll) rmdirSync(from);
    return isAll;
}

function moveEntry(from: string, to: string): boolean {
    const there = lstatSync(to, { throwIfNoEntry: false });
    if (there === undefined) moveWhole(from, to);
    else if (there.isDirectory() && lstatSync(from).isDirectory()) return mergeInto(from, to);
    return there === undefined;
}

const PERMISSIONS = 0o7777;
const FOLDER = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW;

/** Never through a link that takes the folder's place. */
function withFolder<Value>(path: string, work: (descriptor: number) => Value): Value {
    const descriptor = openSync(path, FOLDER);
    try {
        return work(descriptor);
    } finally {
        closeSync(descriptor);
    }
}

/** Only Linux has folders that cannot be renamed. */
function at(descriptor: number, name = "."): string {
    return `/proc/self/fd/${descriptor}/${name}`;
}
