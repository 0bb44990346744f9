import type { JsonObject } from "../../../plugin/index.js";

// https://openrouter.ai/docs/use-cases/reasoning-tokens#preserving-reasoning-blocks

/** Fields that stream in pieces; any other arrives whole. */
const GROWING = ["text", "summary"] as const;

/**
 * Joins the streamed pieces of `reasoning_details`, in order: those of one type and index are one
 * entry. Encrypted data is never joined, because each piece of it is complete.
 */
export function joinedDetails(pieces: readonly JsonObject[]): readonly JsonObject[] {
    const joined: JsonObject[] = [];
    for (const piece of pieces) {
        const index = joined.findLastIndex((entry) => continues(piece, entry));
        const entry = joined[index];
        if (entry === undefined) joined.push(piece);
        else joined[index] = grown(entry, piece);
    }
    return joined;
}

/** The readable part of a piece. */
export function textOfDetail({ text, summary }: JsonObject): string {
    return typeof text === "string" ? text : typeof summary === "string" ? summary : "";
}

function continues(piece: JsonObject, entry: JsonObject): boolean {
    if (piece.data != null || entry.data != null) return false;
    const isSameId = piece.id == null || entry.id == null || piece.id === entry.id;
    return isSameId && piece.type === entry.type && piece.index === entry.index;
}

function grown(entry: JsonObject, piece: JsonObject): JsonObject {
    const news = Object.entries(piece).filter(([, value]) => value !== null);
    const texts = GROWING.filter((field) => typeof piece[field] === "string").map((field) => {
        const before = entry[field];
        return [field, `${typeof before === "string" ? before : ""}${String(piece[field])}`];
    });
    return { ...entry, ...Object.fromEntries(news), ...Object.fromEntries(texts) };
}
