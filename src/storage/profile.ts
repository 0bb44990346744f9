import { readFile } from "node:fs/promises";
import path from "node:path";
import { projectFolder } from "./directories.js";

/** What was learned of a project; `undefined` where nothing was, or it cannot be read. */
export async function readProfile(dataFolder: string, root: string): Promise<string | undefined> {
    const file = path.join(projectFolder(dataFolder, root), "profile.md");
    const text = await readFile(file, "utf8").catch(() => "");
    return text.trim() === "" ? undefined : text.trim();
}
