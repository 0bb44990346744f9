import { isExpectedError } from "../../base/north-error.js";
import type { Provider } from "../../plugin/index.js";
import type { Config } from "../../storage/config.js";
import { chooseModel } from "../models/choose-model.js";
import { createConnections } from "../models/connections.js";
import { findProviderKey } from "../models/provider-keys.js";
import { brokenBy, ok, warning, type Check } from "./check.js";

/** Which providers have a key and from where; never the key. */
export async function checkProviders(
    providers: readonly Provider[],
    settings: Config,
    environment: NodeJS.ProcessEnv,
    configFolder: string
): Promise<readonly Check[]> {
    const wanting = providers.filter(({ keyVariable }) => keyVariable !== undefined);
    try {
        const keys = await Promise.all(
            wanting.map(async (provider) => {
                const key = await findProviderKey(provider, environment, configFolder);
                const { id, keyVariable } = provider;
                return { id, source: key && sourceOf(key.source, keyVariable) };
            })
        );
        return [
            describeKeys(keys),
            await checkModel(providers, settings, environment, configFolder),
        ];
    } catch (error) {
        return [brokenBy("keys", error)];
    }
}

function describeKeys(keys: readonly { id: string; source: string | undefined }[]): Check {
    const found = keys.map(({ id, source }) => `${id}: ${source ?? "none"}`).join(", ");
    if (keys.some(({ source }) => source !== undefined)) return ok("keys", found);
    const next = "Run `north login`, or set ANTHROPIC_API_KEY; until then the chat is offline.";
    return warning("keys", found, next);
}

function sourceOf(source: "environment" | "keychain" | "file", variable = ""): string {
    return { environment: variable, keychain: "the keychain", file: "credentials.json" }[source];
}

/** The model that a new conversation would begin with. */
async function checkModel(
    providers: readonly Provider[],
    { selectedModel: remembered }: Config,
    environment: NodeJS.ProcessEnv,
    configFolder: string
): Promise<Check> {
    const connections = createConnections(environment, configFolder);
    const candidates = remembered === undefined ? {} : { remembered };
    const chosen = await chooseModel(candidates, providers, connections);
    if (!chosen) return ok("model", "the offline stand-in");
    const { provider, model, notice } = chosen;
    const found = `${model.displayName} (${provider.id})`;
    if (notice !== undefined) return warning("model", notice, "Choose another with /model.");
    if (await connections.hasKey(provider)) return ok("model", found);
    const next = `Run \`north login ${provider.id}\`, or choose another with /model.`;
    return warning("model", `${found} has no key`, next);
}

/** Settings that cannot be read must not keep the doctor from looking at the rest. */
export async function settingsOr(
    read: Promise<Config>
): Promise<{ readonly settings: Config; readonly check: Check }> {
    try {
        const settings = await read;
        const found = Object.keys(settings).filter((name) => settings[name] !== undefined);
        return { settings, check: ok("settings", found.join(", ") || "none") };
    } catch (error) {
        if (!isExpectedError(error)) throw error;
        return { settings: {}, check: brokenBy("settings", error) };
    }
}
