import path from "node:path";
import { NorthError } from "north-cli/plugin";
import { isRecord, type JsonRecord } from "./json.js";
import type { Definition } from "./definitions.js";

/** How to reach a server; variables are expanded. */
export type Launch =
    | {
          readonly kind: "stdio";
          readonly command: string;
          readonly args: readonly string[];
          readonly env: Readonly<Record<string, string>>;
          /** `project`, or an absolute folder; a folder of North's if absent. */
          readonly cwd?: string;
          readonly timeoutMs: number;
      }
    | {
          readonly kind: "http";
          readonly url: string;
          readonly headers: Readonly<Record<string, string>>;
          /** North's registration with the server; without an id North registers itself. */
          readonly client: { readonly client_id?: string; readonly client_secret?: string };
          /** Port of the sign-in callback; any free one by default. */
          readonly callbackPort?: number;
          readonly timeoutMs: number;
      };

/** How long a call may go without a reply or progress. */
const TIMEOUT_MS = 120_000;
const MAX_TIMER_MS = 2 ** 31 - 1;

/** Throws a `NorthError` if the definition is invalid or a variable is not set. */
export function launchOf(definition: Definition, environment: NodeJS.ProcessEnv): Launch {
    const { name } = definition;
    const expanded = (text: string) => expand(text, environment, name);
    const launch =
        definition.source === "editor"
            ? launchAsWritten(definition)
            : launchAsWritten(definition, expanded);
    if (launch.kind === "http" && !isHttpUrl(launch.url)) {
        throw new NorthError("invalid-server", `${name}: its url is not one of http or https`);
    }
    if (launch.kind === "stdio" && !isValidFolder(launch.cwd)) {
        const message = `${name}: its cwd must be "project" or an absolute path`;
        throw new NorthError("invalid-server", message);
    }
    return launch;
}

function isValidFolder(cwd: string | undefined): boolean {
    return cwd === undefined || cwd === PROJECT || path.isAbsolute(cwd);
}

const PROJECT = "project";

/**
 * Security: programs find code in the folder they start in, as `npx` does in `node_modules`. So
 * only a repository's own server, or one whose definition says so, starts in the repository.
 */
export function runsInProject({ source, value }: Definition): boolean {
    return source === "repository" || value.cwd === PROJECT;
}

/** Keeps variables as written. Throws a `NorthError` if the definition is invalid. */
export function launchAsWritten(
    { name, value }: Definition,
    replaced = (text: string): string => text
): Launch {
    const field = fieldsOf(name, value, replaced);
    if (value.type === undefined && value.command === undefined && value.url === undefined) {
        throw new NorthError("invalid-server", `${name} has neither a command nor a url`);
    }
    const timeoutMs =
        value.timeout === undefined ? TIMEOUT_MS : field.number("timeout", MAX_TIMER_MS);
    const type = value.type ?? (value.url === undefined ? "stdio" : "http");
    if (type === "stdio") {
        const command = field.text("command");
        return {
            kind: "stdio",
            command,
            args: field.list("args"),
            env: field.map("env"),
            ...(value.cwd !== undefined && { cwd: field.text("cwd") }),
            timeoutMs,
        };
    }
    if (type !== "http" && type !== "streamable-http") {
        throw new NorthError("invalid-server", `${name}: its type must be "stdio" or "http"`);
    }

    const { clientId, clientSecret, callbackPort } = isRecord(value.oauth) ? value.oauth : {};
    const oauth = fieldsOf(name, { clientId, clientSecret, callbackPort }, replaced);
    const client = {
        ...(clientId !== undefined && { client_id: oauth.text("clientId") }),
        ...(clientSecret !== undefined && { client_secret: oauth.text("clientSecret") }),
    };
    return {
        kind: "http",
        url: field.text("url"),
        headers: field.map("headers"),
        client,
        ...(callbackPort !== undefined && { callbackPort: oauth.number("callbackPort", 65_535) }),
        timeoutMs,
    };
}

function fieldsOf(name: string, value: JsonRecord, replaced: (text: string) => string) {
    const wrong = (field: string, wanted: string) =>
        new NorthError("invalid-server", `${name}: ${field} must be ${wanted}`);
    const expanded = (text: unknown, field: string): string => {
        if (typeof text !== "string") throw wrong(field, "text");
        return replaced(text);
    };
    return {
        text(field: string): string {
            if (value[field] === undefined || value[field] === "") throw wrong(field, "text");
            return expanded(value[field], field);
        },
        number(field: string, max: number): number {
            const given = value[field];
            if (typeof given === "number" && given >= 1 && given <= max) return given;
            throw wrong(field, `a number from 1 to ${max}`);
        },
        list(field: string): string[] {
            const items = value[field] ?? [];
            if (!Array.isArray(items)) throw wrong(field, "a list of strings");
            return items.map((item) => expanded(item, field));
        },
        map(field: string): Record<string, string> {
            const items = value[field] ?? {};
            if (!isRecord(items)) throw wrong(field, "an object of strings");
            return Object.fromEntries(
                Object.entries(items).map(([key, item]) => [key, expanded(item, field)])
            );
        },
    };
}

/** Expands `${NAME}` and `${NAME:-default}`, like other programs that read these files. */
function expand(text: string, environment: NodeJS.ProcessEnv, server: string): string {
    return text.replace(/\$\{(\w+)(?::-([^}]*))?\}/g, (_all, variable: string, standard) => {
        const found = environment[variable] || standard;
        if (found !== undefined) return found;
        throw new NorthError(
            "unset-variable",
            `${server}: the variable ${variable} is not set, or holds a model provider's key, which North gives to no server`
        );
    });
}

function isHttpUrl(text: string): boolean {
    try {
        return /^https?:$/.test(new URL(text).protocol);
    } catch {
        return false;
    }
}
