import { validateHeaderName, validateHeaderValue } from "node:http";

/** Settings from `plugins["north-plugin-otel"]` and the environment. */
export interface Settings {
    /** The collector's base URL; absent if OpenTelemetry's variables define it. */
    readonly endpoint?: string;
    readonly headers?: Readonly<Record<string, string>>;
    /** Whether to send messages, arguments and results too. */
    readonly contents: boolean;
}

const VARIABLES = [
    "OTEL_EXPORTER_OTLP_ENDPOINT",
    "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT",
    "OTEL_EXPORTER_OTLP_METRICS_ENDPOINT",
];

/** Returns no settings if no collector is configured; then nothing is sent. */
export function settingsIn(
    given: Readonly<Record<string, unknown>>,
    environment: NodeJS.ProcessEnv
): { readonly settings?: Settings; readonly problems: readonly string[] } {
    const { endpoint, headers, contents = false, ...others } = given;
    const problems = Object.keys(others).map((name) => `There is no setting ${name}.`);
    if (endpoint !== undefined && !isUrl(endpoint)) {
        problems.push("endpoint must be an http(s) URL.");
    }
    if (isTexts(headers)) problems.push(...problemsOf(headers));
    else if (headers !== undefined) problems.push("headers must be an object of strings.");
    if (typeof contents !== "boolean") problems.push("contents must be true or false.");
    const isNamed = isUrl(endpoint) || VARIABLES.some((name) => environment[name]);
    if (problems.length > 0 || !isNamed || environment.OTEL_SDK_DISABLED === "true") {
        return { problems };
    }
    return {
        problems,
        settings: {
            ...(isUrl(endpoint) && { endpoint: endpoint.replace(/\/$/, "") }),
            ...(isTexts(headers) && { headers }),
            contents: contents === true,
        },
    };
}

function isUrl(value: unknown): value is string {
    if (typeof value !== "string" || !/^https?:\/\//.test(value)) return false;
    try {
        return new URL(value).host !== "";
    } catch {
        return false;
    }
}

/** Node refuses such headers with each request, which nobody would see. */
function problemsOf(headers: Readonly<Record<string, string>>): string[] {
    return Object.entries(headers).flatMap(([name, value]) => {
        try {
            validateHeaderName(name);
            validateHeaderValue(name, value);
            return [];
        } catch {
            return [`The header ${JSON.stringify(name)} has characters that HTTP does not allow.`];
        }
    });
}

function isTexts(value: unknown): value is Readonly<Record<string, string>> {
    return (
        typeof value === "object" &&
        value !== null &&
        Object.values(value).every((each) => typeof each === "string")
    );
}
