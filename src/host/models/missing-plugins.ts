import { existsSync } from "node:fs";
import path from "node:path";
import { commandToAdd } from "../../base/package-root.js";
import { readRegularFile } from "../../base/read-regular-file.js";
import { sha256 } from "../../base/sha256.js";
import { MCP_PLUGIN, stepToMcp } from "../../core/slash-commands.js";
import type { Provider } from "../../plugin/index.js";
import { withKeys } from "../../storage/secrets/key-environment.js";
import { isNewFact } from "../../storage/new-facts.js";

const MAX_SERVER_BYTES = 1024 * 1024;

/** A vendor whose provider is a plugin of North's own that is installed separately. */
interface VendorPlugin {
    readonly provider: string;
    readonly displayName: string;
    /** Absent if it needs no key, or finds its own. */
    readonly keyVariable?: string;
    readonly plugin: string;
    /** Names by which people ask for its models, without the provider. */
    readonly models?: RegExp;
}

const PLUGINS: readonly VendorPlugin[] = [
    {
        provider: "mistral",
        displayName: "Mistral",
        keyVariable: "MISTRAL_API_KEY",
        plugin: "north-provider-mistral",
        models: /^(?:mistral|ministral|magistral|codestral|devstral)-/i,
    },
    {
        provider: "google",
        displayName: "Google",
        keyVariable: "GEMINI_API_KEY",
        plugin: "north-provider-google",
        models: /^gemini(?:-|$)/i,
    },
    { provider: "vertex", displayName: "Vertex AI", plugin: "north-provider-google" },
    { provider: "bedrock", displayName: "Amazon Bedrock", plugin: "north-provider-bedrock" },
    { provider: "ollama", displayName: "Ollama", plugin: "north-provider-ollama" },
];

/** What was found that needs a plugin, and the step that adds the plugin. */
interface MissingPlugin {
    readonly found: string;
    readonly next: string;
}

/** For each key that is set but needs a plugin that is not installed. */
export function missingPlugins(
    providers: readonly Pick<Provider, "id">[],
    environment: NodeJS.ProcessEnv
): readonly MissingPlugin[] {
    const keys = withKeys(environment);
    return PLUGINS.flatMap((missing) => {
        const { provider, keyVariable = "" } = missing;
        if (!keys[keyVariable] || providers.some(({ id }) => id === provider)) return [];
        return { found: `${keyVariable} is set`, next: stepTo(missing) };
    });
}

export function missingPluginNotices(
    ...asked: Parameters<typeof missingPlugins>
): readonly string[] {
    return missingPlugins(...asked).map(asNotice);
}

function asNotice({ found, next }: MissingPlugin): string {
    return `${found}: ${next}`;
}

interface ServerPlaces {
    readonly root: string;
    readonly configFolder: string;
}

/** Likewise for files that name MCP servers. */
export function unreadServers(
    plugins: ReadonlyMap<string, unknown>,
    { root, configFolder }: ServerPlaces
): readonly (MissingPlugin & { readonly file: string })[] {
    if (plugins.has(MCP_PLUGIN)) return [];
    const files = [path.join(configFolder, "mcp.json"), path.join(root, ".mcp.json")];
    return files
        .filter((file) => existsSync(file))
        .map((file) => ({ file, found: `${path.basename(file)} is not read`, next: stepToMcp() }));
}

/** `unreadServers` in one sentence each, once for what a file says. */
export async function newUnreadServers(
    plugins: ReadonlyMap<string, unknown>,
    { dataFolder, ...places }: ServerPlaces & { readonly dataFolder: string }
): Promise<readonly string[]> {
    const notices: string[] = [];
    for (const unread of unreadServers(plugins, places)) {
        const bytes = readRegularFile(unread.file, MAX_SERVER_BYTES, "follow")?.bytes ?? "";
        const fact = `${unread.file}\0${sha256(bytes)}`;
        // A data folder that cannot be written must not hide the notice.
        if (await isNewFact(dataFolder, fact).catch(() => true)) notices.push(asNotice(unread));
    }
    return notices;
}

/** The step that adds the provider, or the model, of this name; none if no plugin has it. */
export function stepsToPluginWith(
    name: string,
    providers: readonly Pick<Provider, "id">[]
): readonly string[] {
    return PLUGINS.filter(
        ({ provider, models }) =>
            (name === provider || name.startsWith(`${provider}/`) || models?.test(name)) &&
            !providers.some(({ id }) => id === provider)
    ).map(stepTo);
}

function stepTo({ plugin, displayName }: VendorPlugin): string {
    return `\`${commandToAdd(plugin)}\` adds ${displayName}'s models.`;
}
