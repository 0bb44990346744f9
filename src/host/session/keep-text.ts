import { textWithoutKeys } from "../models/provider-keys.js";
import type { SessionParts } from "./session-parts.js";

/**
 * Keeps an output that the transcript shows only the end of, and resolves with its hash. A full
 * disk costs the user the rest of it, not the turn.
 */
export async function keepText(
    { options: { project, connections } }: SessionParts,
    text: string
): Promise<string | undefined> {
    const bytes = new TextEncoder().encode(textWithoutKeys(text, connections.keys));
    try {
        return await project.contents.put(bytes);
    } catch (error) {
        project.log.event("error", "output_not_kept", { error: String(error) });
        return undefined;
    }
}
