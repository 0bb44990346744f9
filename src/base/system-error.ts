/** The code of a failed system call (`ENOENT`), or `undefined` for any other error. */
export function errorCode(error: unknown): string | undefined {
    return error instanceof Error && "code" in error && typeof error.code === "string"
        ? error.code
        : undefined;
}

export function messageOf(error: unknown): string {
    return error instanceof Error ? error.message : String(error);
}

export function isAbsent(error: unknown): boolean {
    return errorCode(error) === "ENOENT";
}

/** The promise's value, or `absent` if it rejects because a file or folder does not exist. */
export async function ifAbsent<Value, Absent>(
    promise: Promise<Value>,
    absent: Absent
): Promise<Value | Absent> {
    try {
        return await promise;
    } catch (error) {
        if (isAbsent(error)) return absent;
        throw error;
    }
}
