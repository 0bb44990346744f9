import { text } from "node:stream/consumers";

import { NorthError } from "../../base/north-error.js";
import type { AskingPlace } from "./ask-in-terminal.js";

/** Asks for a secret without echo; reads it from a pipe outside a terminal. */
export async function askSecret(question: string, place: AskingPlace): Promise<string> {
    const secret = place.input.isTTY ? await askHidden(question, place) : await text(place.input);
    if (secret.trim() !== "") return secret.trim();
    throw new NorthError("no-key", "No key given; nothing changed.", [
        "Type or paste it when asked, or pipe it in: `north login < keyfile`.",
    ]);
}

async function askHidden(question: string, place: AskingPlace): Promise<string> {
    const { password } = await import("@inquirer/prompts");
    try {
        return await password({ message: question, mask: true }, { ...place });
    } catch {
        // Ctrl+C counts as an empty secret.
        return "";
    }
}
