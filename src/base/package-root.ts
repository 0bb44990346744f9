import { existsSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { northCommand } from "./north-command.js";

/** The nearest parent folder with a package.json: the program may run from `dist` or `src`. */
export function packageRoot(): string {
    let folder = path.dirname(fileURLToPath(import.meta.url));
    while (!existsSync(path.join(folder, "package.json"))) folder = path.dirname(folder);
    return folder;
}

/** The command that adds one of North's own plugins. A clone has them; npm may not yet. */
export function commandToAdd(plugin: string): string {
    const folder = path.join(packageRoot(), "plugins", plugin);
    const step = existsSync(folder) ? `link ${folder}` : `install ${plugin}`;
    return `${northCommand()} plugins ${step}`;
}
