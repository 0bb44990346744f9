import { getSystemErrorMap } from "node:util";

/** The code of a failed system call (`ENOENT`), or `undefined` for any other error. */
export function errorCode(error: unknown): string | undefined {
    return error instanceof Error && "code" in error && typeof error.code === "string"
        ? error.code
        : undefined;
}

/** Whether a system call failed, which is never a bug of North's own. */
export function isSystemError(
    error: unknown
): error is NodeJS.ErrnoException & { readonly errno: number } {
    return error instanceof Error && "errno" in error && typeof error.errno === "number";
}

/** `read-only file system`: what failed a system call, for people; the code if nothing says it. */
export function systemErrorText(error: unknown): string {
    const [, text] = (isSystemError(error) && getSystemErrorMap().get(error.errno)) || [];
    return text ?? errorCode(error) ?? messageOf(error);
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
