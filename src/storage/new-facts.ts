import { readFile } from "node:fs/promises";
import path from "node:path";
import { sha256 } from "../base/sha256.js";
import { appendJsonLine } from "./files/append-line.js";

/** Whether a fact comes up for the first time in this data folder. Rejects with `not-writable`. */
export async function isNewFact(dataFolder: string, fact: string): Promise<boolean> {
    const file = path.join(dataFolder, "told.jsonl");
    const hash = sha256(fact);
    const seen = await readFile(file, "utf8").catch(() => "");
    if (seen.includes(hash)) return false;
    appendJsonLine(file, hash);
    return true;
}
