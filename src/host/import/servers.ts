import { type Fields, isFields } from "../../base/fields.js";
import { parseUrl } from "../../base/parse-url.js";
import {
    canBeCredential,
    isCredentialName,
    looksRandom,
} from "../../base/secrets/credential-values.js";
import { holdsCredential } from "../../base/secrets/credentials.js";
import { type ForeignFile, textsIn } from "./foreign-setting.js";

/** A server with the field names that `mcp.json` has. */
interface ServerFields {
    readonly command?: string | undefined;
    readonly args?: readonly string[];
    readonly env?: Fields;
    readonly cwd?: unknown;
    readonly url?: string | undefined;
    readonly headers?: Fields;
    /** In milliseconds. */
    readonly timeout?: unknown;
}

interface ServerOptions {
    /** Why it cannot be taken, if that is known already. */
    readonly problem?: string | undefined;
    /** What is not taken of it. */
    readonly reason?: string | undefined;
    /** Rewrites references to variables as `${NAME}`. */
    readonly variables?: (text: string) => string;
}

const NAME = /^[\w.-]{1,40}$/;
const SSE = "North does not support the older SSE transport";
export const LIMITED_TOOLS = "it offers only some of its tools, and North cannot limit them";
export const DISABLED = "it is disabled";

/** Takes the servers of an object like Claude Code's `mcpServers`. */
export function takeServers(
    file: ForeignFile,
    servers: unknown,
    where: string,
    optionsOf: (server: Fields) => ServerOptions = () => ({})
): void {
    if (!isFields(servers)) return;
    for (const [name, server] of Object.entries(servers)) {
        if (!isFields(server)) {
            file.leave(`${where}.${name}`, "it is not an object");
            continue;
        }
        const problem = isSse(server) ? SSE : undefined;
        const fields = { ...server, args: textsIn(server.args) };
        takeServer(
            file,
            `${where}.${name}`,
            { name, fields: plainFields(fields) },
            { problem, ...optionsOf(server) }
        );
    }
}

/** Takes one server, without values that look like secrets. */
export function takeServer(
    file: ForeignFile,
    what: string,
    { name, fields }: { readonly name: string; readonly fields: ServerFields },
    { problem, reason, variables = (text) => text }: ServerOptions
): void {
    const { command, args = [], url, env = {}, headers = {}, cwd, timeout } = fields;
    const withheld: string[] = [];
    const textIn = (key: string, value: unknown, variable: string) => {
        const text = variables(String(value));
        if (!isSecret(key, text)) return text;
        withheld.push(key);
        const [scheme = ""] = /^(?:Bearer|Basic|Token) /i.exec(text) ?? [];
        return `${scheme}\${${variable}}`;
    };
    const entries = (given: Fields, variableOf: (key: string) => string) =>
        Object.fromEntries(
            Object.entries(given).map(([key, value]) => [key, textIn(key, value, variableOf(key))])
        );
    const definition = {
        ...(command !== undefined && { command: variables(command) }),
        ...(args.length > 0 && { args: args.map(variables) }),
        ...(url !== undefined && { type: "http", url: variables(url) }),
        ...(Object.keys(env).length > 0 && { env: entries(env, (key) => key) }),
        ...(Object.keys(headers).length > 0 && {
            headers: entries(headers, (key) => `${name}_${key}`.toUpperCase().replace(/\W/g, "_")),
        }),
        ...(typeof cwd === "string" && { cwd: variables(cwd) }),
        ...(typeof timeout === "number" && { timeout }),
    };
    const isRunnable = (command === undefined) !== (url === undefined);
    const why =
        problem ??
        (NAME.test(name)
            ? undefined
            : "its name may have only letters, digits, `_`, `.` and `-`") ??
        (isRunnable ? undefined : "it has neither a command nor the URL of an HTTP server") ??
        secretOnLine(args, url);
    if (why !== undefined) return file.leave(what, why);
    const missing =
        withheld.length > 0 &&
        `the value of ${withheld.join(", ")} looks like a secret and is not copied: export it in your shell`;
    const reasons = [reason, missing].filter(Boolean).join("; ");
    file.take(what, { kind: "server", name, definition }, reasons === "" ? undefined : reasons);
}

function plainFields(server: Fields & { readonly args: readonly string[] }): ServerFields {
    const { command, args, url, env, headers, cwd, timeout } = server;
    return {
        args,
        ...(typeof command === "string" && { command }),
        ...(typeof url === "string" && { url }),
        ...(isFields(env) && { env }),
        ...(isFields(headers) && { headers }),
        ...{ cwd, timeout },
    };
}

function isSse({ type, transport }: Fields): boolean {
    return type === "sse" || transport === "sse";
}

/** What is left of a text without references to variables. */
function literal(text: string): string {
    return text
        .replace(/\$\{[^}]*\}/g, "")
        .replace(/^(?:Bearer|Basic|Token) /i, "")
        .trim();
}

function isSecret(name: string, value: string): boolean {
    const text = literal(value);
    if (text === "") return false;
    if (isCredentialName(name, text)) return true;
    return looksRandom(text) || holdsCredential(text);
}

/** A command line and a URL are visible to every user of a machine, and cannot be taken in part. */
function secretOnLine(args: readonly string[], url: string | undefined): string | undefined {
    const isHidden = args.some((text, index) => {
        const [, flag = "", value = ""] = /^(-[^=]+)=(.*)$/s.exec(text) ?? [];
        const before = args[index - 1] ?? "";
        const named = before.startsWith("-") && !before.includes("=") && isCredentialName(before);
        return (
            (named && canBeCredential(literal(text))) ||
            (flag !== "" && isSecret(flag, value)) ||
            (!text.includes("/") && isSecret("", text)) ||
            holdsCredential(text, "any")
        );
    });
    if (isHidden) return "its arguments hold what looks like a secret";
    const address = url === undefined ? undefined : parseUrl(url.replace(/\$\{[^}]*\}/g, "x"));
    if (!address) return undefined;
    const parameters = [...address.searchParams];
    const isInUrl =
        address.password !== "" ||
        parameters.some(([key, value]) => isSecret(key, value) && value !== "x");
    return isInUrl ? "its URL holds what looks like a secret" : undefined;
}
