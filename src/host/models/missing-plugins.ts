import type { Provider } from "../../plugin/index.js";
import { withKeys } from "../../storage/secrets/key-environment.js";

/** A vendor whose provider is a plugin of North's own that is installed separately. */
interface VendorPlugin {
    readonly provider: string;
    readonly displayName: string;
    readonly keyVariable: string;
    readonly plugin: string;
    /** Names of its models. */
    readonly models: RegExp;
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
];

/** For each key that is set but needs a plugin that is not installed: what was found, what to do. */
export function missingPlugins(
    providers: readonly Pick<Provider, "id">[],
    environment: NodeJS.ProcessEnv
): readonly { readonly found: string; readonly next: string }[] {
    const keys = withKeys(environment);
    return PLUGINS.filter(
        ({ provider, keyVariable }) =>
            keys[keyVariable] && !providers.some(({ id }) => id === provider)
    ).map((missing) => ({ found: `${missing.keyVariable} is set`, next: stepTo(missing) }));
}

/** `missingPlugins` in one sentence each. */
export function missingPluginNotices(
    ...asked: Parameters<typeof missingPlugins>
): readonly string[] {
    return missingPlugins(...asked).map(({ found, next }) => `${found}: ${next}`);
}

/** The step that adds the provider, or the model, of this name; none if no plugin has it. */
export function stepsToPluginWith(
    name: string,
    providers: readonly Pick<Provider, "id">[]
): readonly string[] {
    return PLUGINS.filter(
        ({ provider, models }) =>
            (name === provider || name.startsWith(`${provider}/`) || models.test(name)) &&
            !providers.some(({ id }) => id === provider)
    ).map(stepTo);
}

function stepTo({ plugin, displayName }: VendorPlugin): string {
    return `\`north plugins install ${plugin}\` adds ${displayName}'s models.`;
}
