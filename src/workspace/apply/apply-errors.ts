import { NorthError } from "../../base/north-error.js";
import { errorCode, systemErrorText } from "../../base/system-error.js";

export function asApplyError(error: unknown, path: string): unknown {
    switch (errorCode(error)) {
        case "ENOSPC":
        case "EDQUOT":
            return new NorthError(
                "disk-full",
                `There is no space left to write ${path}; nothing was changed.`,
                ["Free some space on the disk, then try again."],
                { cause: error }
            );
        case "EACCES":
        case "EPERM":
        case "EROFS":
        case "EBUSY":
            return notWritable(path, error);
        case "ENAMETOOLONG":
            return new NorthError("invalid-path", `The name of ${path} is too long.`, [
                "Choose a shorter name.",
            ]);
        case "ENOENT":
        case "ENOTDIR":
        case "ELOOP":
            return folderMoved(path, error);
        default:
            return error;
    }
}

export function notWritable(path: string, cause: unknown): NorthError {
    return new NorthError(
        "not-writable",
        `${path} cannot be written (${systemErrorText(cause)}); nothing was changed.`,
        ["Check the permissions of the file and of its folder."],
        { cause }
    );
}

export function folderMoved(path: string, cause?: unknown): NorthError {
    return new NorthError(
        "folder-moved",
        `A folder was moved or replaced before ${path} could be written; nothing was changed.`,
        ["Check what is there now, then try again."],
        { cause }
    );
}
