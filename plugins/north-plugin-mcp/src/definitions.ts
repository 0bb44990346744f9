import { createHash } from "node:crypto";
import path from "node:path";
import { NorthError } from "north-cli/plugin";
import { reasonOf } from "./reason.js";
import { isRecord, type JsonRecord, readJson } from "./json.js";
import type { McpFolders } from "./folders.js";
import { programDigest } from "./program-digest.js";

/** A server as defined in a file; variables are not expanded yet. */
export interface Definition {
    readonly name: string;
    /** Who defined it: the user's own file is trusted, a repository's is not. */
    readonly source: "user" | "repository" | "editor";
    /** The object from the file. */
    readonly value: JsonRecord;
    /**
     * Covers the definition and its owner: for a repository's server, this clone and the bytes of
     * what it runs from it. The key for permissions and stored tools.
     */
    readonly hash: string;
    /** The digest of what a repository's server runs from the repository. */
    readonly programs?: string;
}

interface Definitions {
    readonly definitions: readonly Definition[];
    /** Invalid definitions, one sentence each. */
    readonly problems: readonly string[];
}

const NAME = /^[\w.-]{1,40}$/;

/**
 * Servers of the user's editor, of `CONFIG/mcp.json` and of the repository's `.mcp.json`; on name
 * conflicts the earlier one wins.
 */
export async function readDefinitions(folders: McpFolders): Promise<Definitions> {
    const { root, configFolder, given = {} } = folders;
    const [own, shared] = await Promise.all([
        readFile(path.join(configFolder, "mcp.json"), "user"),
        readFile(path.join(root, ".mcp.json"), "repository"),
    ]);
    const bound = await boundToClone(shared.definitions, folders);
    const taken = new Set<string>();
    const isFirst = ({ name }: Definition) => !taken.has(name) && taken.add(name);
    return {
        definitions: [...ofEditor(given), ...own.definitions, ...bound].filter(isFirst),
        problems: [...own.problems, ...shared.problems],
    };
}

/** Rejects with a `NorthError` if no file defines it. */
export async function findDefinition(folders: McpFolders, name: string): Promise<Definition> {
    const { definitions, problems } = await readDefinitions(folders);
    const found = definitions.find((definition) => definition.name === name);
    if (found) return found;
    const names = definitions.map((definition) => definition.name).join(", ");
    throw new NorthError("unknown-server", `There is no MCP server called "${name}".`, [
        names === "" ? "No file names one." : `There are: ${names}.`,
        ...problems,
    ]);
}

/** Security: what was allowed in one clone must not run another one's program of the same name. */
async function boundToClone(definitions: readonly Definition[], folders: McpFolders) {
    if (definitions.length === 0) return [];
    const { root } = folders;
    const clone = (await folders.projectId?.()) ?? "";
    return Promise.all(
        definitions.map(async (definition) => {
            const { name, value } = definition;
            const programs = await programDigest(value, root);
            return { ...definition, programs, hash: hashOf([root, clone, programs, name, value]) };
        })
    );
}

/** Normalizes names: an editor may use any, but tool names derive from them. */
function ofEditor(given: NonNullable<McpFolders["given"]>): readonly Definition[] {
    return Object.entries(given).map(([title, value]) => {
        const name = title.replace(/[^\w.-]+/g, "-").slice(0, 40) || "server";
        return { name, source: "editor", value, hash: hashOf(["editor", name, value]) };
    });
}

async function readFile(file: string, source: Definition["source"]): Promise<Definitions> {
    const shown = source === "user" ? file : path.basename(file);
    let content: unknown;
    try {
        content = await readJson(file);
    } catch (error) {
        const problem = `${shown} cannot be read: ${reasonOf(error)}`;
        return { definitions: [], problems: [problem] };
    }
    if (content === undefined) return { definitions: [], problems: [] };
    const servers = isRecord(content) ? content.mcpServers : undefined;
    if (!isRecord(servers)) {
        return { definitions: [], problems: [`${shown} has no object "mcpServers"`] };
    }

    const entries = Object.entries(servers);
    const wrong = entries.filter(([name, value]) => !NAME.test(name) || !isRecord(value));
    return {
        definitions: entries.flatMap(([name, value]) =>
            NAME.test(name) && isRecord(value)
                ? [{ name, source, value, hash: hashOf(["", name, value]) }]
                : []
        ),
        problems: wrong.map(
            ([name]) =>
                `${shown}: the server ${JSON.stringify(name.slice(0, 40))} was skipped: ` +
                "a name has at most 40 letters, digits, `_`, `.` and `-`, and its value is an object"
        ),
    };
}

function hashOf(value: unknown): string {
    return createHash("sha256").update(JSON.stringify(value)).digest("hex");
}
