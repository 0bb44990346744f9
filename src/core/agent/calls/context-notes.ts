import type { ToolResultEntry } from "../../../plugin/records.js";
import type { SettledCall } from "./execute-call.js";
import type { Turn } from "../turn.js";

/**
 * The entry of a call, with what the model has to know of files it has now touched for the first
 * time. Asked for call by call, so that of two calls in one folder only the first tells it.
 */
export async function entryWithNotes(
    turn: Turn,
    { entry, touched }: SettledCall
): Promise<ToolResultEntry> {
    if (touched.length === 0 || !turn.contextFor) return entry;
    try {
        const notes = await turn.contextFor(touched);
        return notes.length > 0 ? { ...entry, notes } : entry;
    } catch (error) {
        // A result that is there must be stored, whatever becomes of what would go with it.
        turn.log.event("error", "context_failed", { error: String(error) });
        return entry;
    }
}
