import { NorthError } from "../../base/north-error.js";
import { errorCode, systemErrorText } from "../../base/system-error.js";

export function asApplyError(error: unknown, path: string): unknown {
    const code = errorCode(error) ?? "";
    if (["EACCES", "EPERM", "EROFS", "EBUSY"].includes(code)) return notWritable(path, error);
    if (["ENOENT", "ENOTDIR", "ELOOP"].includes(code)) return folderMoved(path, error);
    if (code === "ENAMETOOLONG") {
        const sentence = `The name of ${path} is too long.`;
        return new NorthError("invalid-path", sentence, ["Choose a shorter name."]);
    }
    if (code !== "ENOSPC" && code !== "EDQUOT") return error;
    return new NorthError(
        "disk-full",
        `There is no space left to write ${path}; nothing was changed.`,
        ["Free some space on the disk, then try again."],
        { cause: error }
    );
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
