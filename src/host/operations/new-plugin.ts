import { existsSync } from "node:fs";
import { mkdir, readdir, readFile, symlink, writeFile } from "node:fs/promises";
import path from "node:path";
import { NorthError } from "../../base/north-error.js";

const NAME = /^[a-z][a-z0-9_-]{0,40}$/;

/** Writes the package of a new plugin into its own folder. Returns the folder. */
export async function writeNewPlugin(
    name: string,
    { northRoot, parent }: { readonly northRoot: string; readonly parent: string }
): Promise<string> {
    const short = name.replace(/^north-plugin-/, "");
    if (!NAME.test(short)) {
        throw new NorthError("invalid-name", `"${name}" is not a valid plugin name.`, [
            "Use lower-case letters, digits, dashes and underscores, such as `north plugins new word_count`.",
        ]);
    }
    const folder = path.join(parent, `north-plugin-${short}`);
    if (existsSync(folder)) {
        throw new NorthError("file-exists", `${folder} already exists.`, [
            "Choose another name, or remove the folder.",
        ]);
    }
    const template = path.join(northRoot, "templates", "plugin");
    await mkdir(path.join(folder, "node_modules"), { recursive: true });
    for (const file of await readdir(template)) {
        const text = await readFile(path.join(template, file), "utf8");
        await writeFile(
            path.join(folder, file),
            text.replaceAll("sample", short).replace("NORTH", () => northRoot)
        );
    }
    // npm does not pack a file of this name, so the template cannot have it.
    await writeFile(path.join(folder, ".gitignore"), "node_modules/\n");
    // The link provides types and checks without an install.
    await symlink(northRoot, path.join(folder, "node_modules", "north-cli"));
    return folder;
}
