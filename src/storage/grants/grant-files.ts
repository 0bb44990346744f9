import { createHash } from "node:crypto";
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
    | { readonly kind: "value"; readonly value: JsonRecord; readonly hash: string };

export function grantPath(root: string, name: GrantFile): string {
    return northFilePath(root, name);
}

export async function readGrantFile(root: string, name: GrantFile): Promise<GrantFileContent> {
    const file = await readNorthFile(root, name);
    if (file.kind !== "value") return file;
    const reason = grantsProblem(file.value);
    if (reason !== undefined) return { kind: "corrupt", reason };

    const hash = createHash("sha256").update(file.bytes).digest("hex");
    return { kind: "value", value: file.value, hash };
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
