import { execFile } from "node:child_process";
import { lstat, mkdtemp, readdir, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { entriesBelow } from "../../base/entries-below.js";
import { type Fields, isFields, jsonIn } from "../../base/fields.js";
import { oneLine } from "../../base/format.js";
import { readFrontMatter } from "../../base/front-matter.js";
import { NorthError } from "../../base/north-error.js";
import { readRegularFile } from "../../base/read-regular-file.js";
import { absoluteSearchPath } from "../../base/search-path.js";
import { messageOf } from "../../base/system-error.js";
import { findRoot } from "../../workspace/find-root.js";
import { ForeignFile, type ForeignSetting } from "./foreign-setting.js";
import { takeServers } from "./servers.js";

/** A folder of skills, commands, agents and servers for any assistant. */
interface AgentPlugin {
    readonly name: string;
    readonly version?: string;
    readonly settings: readonly ForeignSetting[];
}

const MANIFESTS = ["plugin.json", ".claude-plugin/plugin.json"];
const NAME = /^[a-z0-9][a-z0-9._-]{0,63}$/;
const SCHEMA = /^https:\/\/agent-plugins\.org\/schemas\/1\.\d+\.\d+\/plugin\.schema\.json$/;
/** https://agent-plugins.org/specification */
const KNOWN = [
    ...["$schema", "name", "version", "description", "author", "homepage", "repository"],
    ...["license", "keywords", "extensions"],
];
const MAX_BYTES = 1024 * 1024;
const MAX_FILES = 1_000;
const EXTRACT_MS = 60_000;
/** A server in the plugin's own folder, which is not kept. */
const OWN_FOLDER = /\$\{(?:CLAUDE_)?PLUGIN_(?:ROOT|DATA)\}/;
const PROGRAMS = "it would run a program of the plugin, and North installs no code";
const LEFT: Readonly<Record<string, string>> = {
    hooks: "hooks run commands of the plugin, and North installs no code",
    ".lsp.json": "North installs no language servers from plugins",
    "output-styles": "North has no output styles",
    bin: PROGRAMS,
};

/**
 * Reads an Agent Plugin, or the portable part of Claude Code's, from a folder or a packed one; runs
 * nothing of it. `undefined` if it is none, such as an npm package. Rejects with `invalid-plugin`.
 */
export async function readAgentPlugin(place: string): Promise<AgentPlugin | undefined> {
    const status = await stat(place).catch(() => undefined);
    if (status?.isDirectory()) return readFolder(place);
    if (!status?.isFile() || !/\.(?:tgz|tar\.gz)$/.test(place)) return undefined;
    const folder = await mkdtemp(path.join(tmpdir(), "north-plugin-"));
    try {
        const words = ["-xzf", path.resolve(place), "-C", folder, "--no-same-owner"];
        await findRoot(process.cwd());
        const env = { ...process.env, PATH: absoluteSearchPath() };
        await promisify(execFile)("tar", words, { timeout: EXTRACT_MS, env });
        const names = await readdir(folder);
        // Archives usually hold one folder.
        const [only] = names.length === 1 ? names : [];
        return await readFolder(only === undefined ? folder : path.join(folder, only));
    } catch (error) {
        if (error instanceof NorthError) throw error;
        throw new NorthError("invalid-plugin", `${place} cannot be unpacked: ${messageOf(error)}`);
    } finally {
        await rm(folder, { recursive: true, force: true });
    }
}

async function readFolder(folder: string): Promise<AgentPlugin | undefined> {
    const manifest = MANIFESTS.map((name) => ({ name, text: textOf(folder, name) })).find(
        ({ text }) => text !== undefined
    );
    if (manifest?.text === undefined) return undefined;
    const { name: place } = manifest;
    const fields = jsonIn(manifest.text);
    const { name, version, $schema } = isFields(fields) ? fields : {};
    if (!isFields(fields) || typeof name !== "string" || !NAME.test(name)) {
        throw new NorthError("invalid-plugin", `${place} has no valid name.`, [
            "A plugin's name has lower-case letters, digits, `.`, `_` and `-`.",
        ]);
    }
    if (typeof $schema === "string" && !SCHEMA.test($schema)) {
        const message = `${place} follows ${oneLine($schema)}, which North does not know.`;
        throw new NorthError("invalid-plugin", message, ["North reads Agent Plugins 1.x."]);
    }
    const file = new ForeignFile(name, false, folder);
    const { mcpServers: inline } = fields;
    file.leaveRest(fields, isFields(inline) ? [...KNOWN, "mcpServers"] : KNOWN);
    const plugin = { folder, name };
    await takeSkills(plugin, file);
    await takeMarkdown("commands", plugin, file);
    await takeMarkdown("agents", plugin, file);
    if (isFields(inline)) takeOwnServers(file, inline, place);
    for (const servers of ["mcp.json", ".mcp.json"]) takeServersIn(plugin, servers, file);
    for (const [entry, reason] of Object.entries(LEFT)) {
        const exists = await stat(path.join(folder, entry)).catch(() => undefined);
        if (exists) file.leave(entry, reason);
    }
    return { name, settings: file.settings, ...(typeof version === "string" && { version }) };
}

interface PluginFolder {
    readonly folder: string;
    readonly name: string;
}

async function takeSkills({ folder }: PluginFolder, file: ForeignFile): Promise<void> {
    for (const skill of await namesIn(folder, "skills")) {
        const from = `skills/${skill}`;
        const text = textOf(folder, `${from}/SKILL.md`);
        if (text === undefined) {
            file.leave(from, "it has no SKILL.md");
            continue;
        }
        const { fields } = await readFrontMatter(text);
        if (fields.name !== skill || !NAME.test(skill)) {
            file.leave(from, "its folder and its `name` differ");
            continue;
        }
        for (const each of await filesBelow(folder, from)) {
            takeFile(folder, `${from}/${each}`, `skills/${skill}/${each}`, file);
        }
    }
}

/** In a folder of the plugin's name, so that its command `fix` is `/plugin:fix`. */
async function takeMarkdown(
    kind: "commands" | "agents",
    { folder, name }: PluginFolder,
    file: ForeignFile
): Promise<void> {
    for (const each of await filesBelow(folder, kind)) {
        if (each.endsWith(".md")) {
            takeFile(folder, `${kind}/${each}`, `${kind}/${name}/${each}`, file);
        } else {
            file.leave(`${kind}/${each}`, "it is not Markdown");
        }
    }
}

function takeFile(folder: string, from: string, to: string, file: ForeignFile): void {
    const content = textOf(folder, from);
    if (content === undefined) {
        return file.leave(from, "it is a link, or not text of at most 1 MB");
    }
    file.take(from, { kind: "file", to, content });
}

function takeServersIn({ folder }: PluginFolder, name: string, file: ForeignFile): void {
    const text = textOf(folder, name);
    if (text === undefined) return;
    const content = jsonIn(text);
    const servers = isFields(content) ? content.mcpServers : undefined;
    if (!isFields(servers)) return file.leave(name, 'it has no object "mcpServers"');
    takeOwnServers(file, servers, name);
    if (isFields(content)) file.leaveRest(content, ["$schema", "mcpServers"]);
}

function takeOwnServers(file: ForeignFile, servers: Fields, name: string): void {
    takeServers(file, servers, `${name}: mcpServers`, (server) => ({
        // North's files say `http`.
        ...(server.type === "streamable-http" && { fields: { ...server, type: "http" } }),
        ...(OWN_FOLDER.test(JSON.stringify(server)) && { problem: PROGRAMS }),
    }));
}

async function namesIn(folder: string, name: string): Promise<readonly string[]> {
    const entries = await entriesOf(folder, name);
    return entries
        .flatMap(({ path: each, entry }) =>
            entry.isDirectory() && !each.includes("/") ? each : []
        )
        .sort();
}

async function filesBelow(folder: string, name: string): Promise<readonly string[]> {
    const entries = await entriesOf(folder, name);
    return entries
        .flatMap(({ path: each, entry }) => (entry.isDirectory() ? [] : each))
        .sort()
        .slice(0, MAX_FILES);
}

/** None of a folder that is a link: it could lead out of the plugin. */
async function entriesOf(folder: string, name: string) {
    const place = path.join(folder, name);
    const status = await lstat(place).catch(() => undefined);
    return status?.isDirectory() ? entriesBelow(place) : [];
}

/** Never through a link. */
function textOf(folder: string, name: string): string | undefined {
    const read = readRegularFile(path.join(folder, name), MAX_BYTES);
    if (!read?.isWhole) return undefined;
    const text = read.bytes.toString("utf8");
    return Buffer.from(text).equals(read.bytes) && !text.includes("\0") ? text : undefined;
}
