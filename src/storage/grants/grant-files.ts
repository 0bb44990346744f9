import { type GrantFile, grantsProblem } from "./grant-values.js";
import type { JsonRecord } from "../files/json-file.js";
import {
    northFilePath,
    type NorthFile,
    readNorthFile,
    unsafeError,
    writeNorthFile,
} from "./north-folder.js";

export { unsafeError };

/** What a file in `.north/` that grants something holds. */
export type GrantFileContent =
    | Exclude<NorthFile, { readonly kind: "value" }>
    | { readonly kind: "value"; readonly value: JsonRecord };

export function grantPath(root: string, name: GrantFile): string {
    return northFilePath(root, name);
}

export async function readGrantFile(root: string, name: GrantFile): Promise<GrantFileContent> {
    const file = await readNorthFile(root, name);
    if (file.kind !== "value") return file;
    const reason = grantsProblem(file.value);
    return reason === undefined ? file : { kind: "corrupt", reason };
}

/** Replaces a file in `.north/`; rejects with `unsafe-grants-file` rather than through a link. */
export async function writeGrantFile(
    root: string,
    name: GrantFile,
    content: JsonRecord,
    assertHeld: () => Promise<void>
): Promise<void> {
    await writeNorthFile(root, name, { content, assertHeld });
}
