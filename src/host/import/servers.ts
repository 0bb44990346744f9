import { type Fields, isFields } from "../../base/fields.js";
import { parseUrl } from "../../base/parse-url.js";
import {
    canBeCredential,
    isCredentialName,
    looksRandom,
} from "../../base/secrets/credential-values.js";
import { holdsCredential } from "../../base/secrets/credentials.js";
import { type ForeignFile, textsIn } from "./foreign-setting.js";

/** How a server of another assistant is read. */
export interface ServerReading {
    /** The server with the field names that `mcp.json` has; as it is if absent. */
    readonly fields?: Fields;
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

/** Takes the servers of an object, by their names, without values that look like secrets. */
export function takeServers(
    file: ForeignFile,
    servers: unknown,
    where: string,
    read: (server: Fields) => ServerReading = () => ({})
): void {
    if (!isFields(servers)) return;
    for (const [name, server] of Object.entries(servers)) {
        if (!isFields(server)) {
            file.leave(`${where}.${name}`, "it is not an object");
            continue;
        }
        const { fields = server, ...reading } = read(server);
        const problem = fields.type === "sse" || fields.transport === "sse" ? SSE : undefined;
        takeServer(file, `${where}.${name}`, [name, fields], { problem, ...reading });
    }
}

function takeServer(
    file: ForeignFile,
    what: string,
    [name, fields]: readonly [string, Fields],
    { problem, reason, variables = (text) => text }: ServerReading
): void {
    const { cwd, timeout } = fields;
    const args = textsIn(fields.args);
    const [[command], [url]] = [textsIn([fields.command]), textsIn([fields.url])];
    const withheld: string[] = [];
    const textIn = (key: string, value: unknown, variable: string) => {
        const text = variables(String(value));
        if (!isSecret(key, text)) return text;
        withheld.push(key);
        const [scheme = ""] = /^(?:Bearer|Basic|Token) /i.exec(text) ?? [];
        return `${scheme}\${${variable}}`;
    };
    const entries = (given: unknown, variableOf: (key: string) => string) => {
        const all = Object.entries(isFields(given) ? given : {});
        if (all.length === 0) return undefined;
        return Object.fromEntries(
            all.map(([key, value]) => [key, textIn(key, value, variableOf(key))])
        );
    };
    const env = entries(fields.env, (key) => key);
    const headers = entries(fields.headers, (key) =>
        `${name}_${key}`.toUpperCase().replace(/\W/g, "_")
    );
    const definition = {
        ...(command !== undefined && { command: variables(command) }),
        ...(args.length > 0 && { args: args.map(variables) }),
        ...(url !== undefined && { type: "http", url: variables(url) }),
        ...(env && { env }),
        ...(headers && { headers }),
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
