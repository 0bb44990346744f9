import { stat } from "node:fs/promises";
import { isAbsent } from "../../base/system-error.js";

/** The bytes of a file; none where there is no file. */
export async function sizeOf(file: string): Promise<number> {
    try {
        return (await stat(file)).size;
    } catch (error) {
        if (isAbsent(error)) return 0;
        throw error;
    }
}
