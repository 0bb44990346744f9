// The oclif manifest: without it every command module would be loaded at each start.
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { Plugin } from "@oclif/core";

/** Returns the manifest of the built program in `dist`, as text. */
export async function manifestText(root) {
    const plugin = new Plugin({
        root,
        type: "core",
        ignoreManifest: true,
        errorOnManifestCreate: true,
        respectNoCacheDefault: true,
    });
    await plugin.load();
    // oclif lists commands in directory order.
    const commands = Object.fromEntries(
        Object.entries(plugin.manifest.commands).sort(([one], [other]) => (one < other ? -1 : 1))
    );
    return `${JSON.stringify({ ...plugin.manifest, commands }, null, 2)}\n`;
}

/** Writes only if changed, so that a build of unchanged commands leaves no diff. */
export async function writeManifest(root) {
    const file = path.join(root, "oclif.manifest.json");
    const text = await manifestText(root);
    if (read(file) !== text) writeFileSync(file, text);
}

function read(file) {
    try {
        return readFileSync(file, "utf8");
    } catch {
        return undefined;
    }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
    const [, own, plugin] = process.argv;
    if (plugin === undefined) {
        process.stdout.write(await manifestText(path.dirname(path.dirname(own))));
    } else {
        // A plugin with commands: its build writes the manifest, which is not committed.
        await writeManifest(path.resolve(plugin));
    }
}
