/**
 * Switches for tools that look for news of themselves, report how they are used, or try a missing
 * network again for a minute: none of it works contained, and all of it looks like a need.
 */
export const QUIET_TOOLS: Readonly<Record<string, string>> = {
    npm_config_update_notifier: "false",
    npm_config_fetch_retries: "0",
    npm_config_audit: "false",
    npm_config_fund: "false",
    NO_UPDATE_NOTIFIER: "1",
    PIP_DISABLE_PIP_VERSION_CHECK: "1",
    PIP_RETRIES: "0",
    HOMEBREW_NO_AUTO_UPDATE: "1",
    CARGO_NET_RETRY: "0",
    CHECKPOINT_DISABLE: "1",
    DENO_NO_UPDATE_CHECK: "1",
    DO_NOT_TRACK: "1",
    NG_CLI_ANALYTICS: "false",
    ASTRO_TELEMETRY_DISABLED: "1",
    DOTNET_CLI_TELEMETRY_OPTOUT: "1",
    GATSBY_TELEMETRY_DISABLED: "1",
    HOMEBREW_NO_ANALYTICS: "1",
    NEXT_TELEMETRY_DISABLED: "1",
    NUXT_TELEMETRY_DISABLED: "1",
    STORYBOOK_DISABLE_TELEMETRY: "1",
    TURBO_TELEMETRY_DISABLED: "1",
    YARN_ENABLE_TELEMETRY: "0",
};
