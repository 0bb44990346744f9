import { stripControls } from "../../terminal/safe-text.js";

let decode: ((text: string) => string) | undefined;

/** Loads the names of characters. Until then entities are shown as they are written. */
export async function loadEntities(): Promise<void> {
    const { decodeHTMLStrict } = await import("entities/decode");
    decode = decodeHTMLStrict;
}

const ENTITY = /&(?:#\d{1,7}|#x[\da-f]{1,6}|[a-z][a-z\d]{1,31});/iy;

/** The character that an entity at this place stands for; it drives the terminal as little as a typed one. */
export function entityAt(
    text: string,
    index: number
): { readonly shown: string; readonly end: number } | undefined {
    ENTITY.lastIndex = index;
    const [entity] = ENTITY.exec(text) ?? [];
    if (entity === undefined || decode === undefined) return undefined;
    const shown = stripControls(decode(entity)).replaceAll("\n", " ");
    return { shown, end: index + entity.length };
}
