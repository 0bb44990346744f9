import { mkdir } from "node:fs/promises";
import path from "node:path";
import { NorthError } from "north-cli/plugin";
import type { Definition } from "./definitions.js";
import { type Launch, runsInProject } from "./launch.js";
import type { McpFolders } from "./folders.js";
import { isInside, programDigest } from "./program-digest.js";

/** The folder a server starts in. Rejects with `not-allowed` if its program changed meanwhile. */
export async function startFolder(
    definition: Definition,
    launch: Launch,
    { root, dataFolder }: McpFolders
): Promise<string> {
    const { name, programs, value } = definition;
    if (programs !== undefined && (await programDigest(value, root)) !== programs) {
        throw new NorthError(
            "not-allowed",
            `${name} was not started: what it runs has changed since it was allowed.`,
            [`Look at the change, then run \`north mcp allow ${name}\`.`]
        );
    }
    if (launch.kind === "http" || runsInProject(definition)) return root;
    if (launch.cwd !== undefined) return launch.cwd;
    const own = path.join(dataFolder, "servers");
    if (isInside(root, own)) return path.parse(root).root;
    await mkdir(own, { recursive: true, mode: 0o700 });
    return own;
}
