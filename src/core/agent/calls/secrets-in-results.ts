import type { ChangeSet, ToolCallPart, ToolFailure, ToolResult } from "../../../plugin/index.js";
import { isFields } from "../../../base/fields.js";
import { WITHHELD } from "../../../base/secrets/known-values.js";
import { failure } from "../failure.js";
import type { Secrets } from "../turn.js";

const DEEPEST = 20;
const CODE = "withheld-secret";
const HINT = `${WITHHELD} stands for a secret that you cannot see. Change other lines, or ask the user to change this one.`;

/** What the model reads of a result; the user sees all of it. */
export function withoutSecrets(
    result: ToolResult,
    { input }: ToolCallPart,
    secrets: Secrets | undefined
): ToolResult {
    if (result.ok) {
        return secrets ? { ...result, data: cleanedData(result.data, secrets) } : result;
    }
    const { error } = result;
    // A text that the model read so is not in the file.
    if (error.code === CODE || !JSON.stringify(input ?? null).includes(WITHHELD)) return result;
    const hint = [error.hint, HINT].filter(Boolean).join(" ");
    return { ok: false, error: { ...error, hint } };
}

/** A change that would write the stand-in for a secret over the secret; `undefined` otherwise. */
export function stoppedByStandIn({ changes }: ChangeSet): ToolFailure | undefined {
    const isStopped = changes.some(({ before, after }) => standIns(after) > standIns(before));
    if (!isStopped) return undefined;
    return failure(CODE, "The change would replace a secret; nothing was written.", HINT);
}

/** How many there are in a file, which may be too large for a copy. */
function standIns(bytes: Uint8Array | null): number {
    if (bytes === null) return 0;
    const content = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    let count = 0;
    for (let at = content.indexOf(WITHHELD); at >= 0; at = content.indexOf(WITHHELD, at + 1)) {
        count += 1;
    }
    return count;
}

/** Cleans texts before they are JSON, whose escapes would join a value with the next line. */
export function cleanedData(value: unknown, secrets: Pick<Secrets, "text">, depth = 0): unknown {
    if (typeof value === "string") return secrets.text(value);
    if (depth === DEEPEST) return value;
    if (Array.isArray(value)) return value.map((each) => cleanedData(each, secrets, depth + 1));
    if (!isFields(value) || Object.getPrototypeOf(value) !== Object.prototype) return value;
    return Object.fromEntries(
        Object.entries(value).map(([name, each]) => [
            secrets.text(name),
            isNamedSecret(name, each, secrets) ? WITHHELD : cleanedData(each, secrets, depth + 1),
        ])
    );
}

/** Whether only its name shows that a text is a secret: `"token": "..."`. */
function isNamedSecret(name: string, value: unknown, secrets: Pick<Secrets, "text">): boolean {
    if (typeof value !== "string" || /[\s"\\]/.test(value)) return false;
    return secrets.text(`"${name}":"${value}"`).endsWith(`:${WITHHELD}"`);
}
