/** The code of a failed system call (`ENOENT`), or `undefined` for any other error. */
export function errorCode(error: unknown): string | undefined {
    return error instanceof Error && "code" in error && typeof error.code === "string"
        ? error.code
        : undefined;
}

/** A file or folder that is not there. */
export function isAbsent(error: unknown): boolean {
    return errorCode(error) === "ENOENT";
}
