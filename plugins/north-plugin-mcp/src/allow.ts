import type { Confirmation } from "north-cli/plugin";
import { type Definition, findDefinition } from "./definitions.js";
import { counted, oneLine, reasonOf } from "./reason.js";
import { launchAsWritten, runsInProject } from "./launch.js";
import { ask } from "./manage.js";
import type { McpFolders } from "./folders.js";
import { openStore, type Permission } from "./stored.js";

/** A request to let a server run. */
interface AllowRequest {
    readonly question: string;
    readonly confirmation: Confirmation & {
        /** Everything that will run. */
        readonly details: readonly string[];
    };
    /** Allows exactly what was shown. Resolves with a summary of what the server offers. */
    accept(): Promise<string>;
}

/** Rejects with a `NorthError` if there is no such server or its definition is invalid. */
export async function requestToAllow(
    folders: McpFolders,
    name: string,
    permission: Permission
): Promise<AllowRequest> {
    const definition = await findDefinition(folders, name);
    return {
        question: `Allow ${name} to run?`,
        confirmation: {
            details: describeLaunch(definition, folders, permission),
            lasts: true,
            // Servers in the user's own file run in every project.
            always: definition.source === "repository",
        },
        accept: () => accept(definition, folders, permission),
    };
}

/** Never shortened: the user cannot agree to what is not shown. */
function describeLaunch(
    definition: Definition,
    { root }: McpFolders,
    { readOnlyTools }: Permission
): string[] {
    const { name, source } = definition;
    const launch = launchAsWritten(definition);
    const server =
        source === "user"
            ? `Your MCP server ${name} (mcp.json)`
            : `This repository's MCP server ${name} (.mcp.json)`;
    const isHere = launch.kind === "stdio";
    const parts: readonly (readonly [string, readonly string[]])[] = isHere
        ? [
              ["command", [exactly(launch.command)]],
              ["arguments", launch.args.map((text) => JSON.stringify(text))],
              ["environment", named(launch.env, "=")],
          ]
        : [
              ["address", [exactly(launch.url)]],
              ["headers", named(launch.headers, ": ")],
              ["sign-in", named(launch.client, ": ")],
          ];
    const what = isHere
        ? `would run with your rights in ${runsInProject(definition) ? root : (launch.cwd ?? "a folder of North's")}`
        : "would receive what its tools are called with";
    return [
        `${server} ${what}:`,
        ...parts.flatMap(([label, lines]) => labelled(label, lines)),
        readOnlyTools
            ? "North asks before each call of its tools, except those that it calls read-only."
            : "North asks before each call of its tools.",
    ];
}

function named(values: Readonly<Record<string, string>>, between: string): string[] {
    return Object.entries(values).map((pair) => pair.map(exactly).join(between));
}

/** Plain text as is, anything else quoted, so that different values never look alike. */
function exactly(text: string): string {
    return /^[^\s"\\]+$/.test(text) ? text : JSON.stringify(text);
}

function labelled(label: string, lines: readonly string[]): string[] {
    return lines.map((line, index) => {
        const heading = (index === 0 ? label : "").padEnd(11);
        return `  ${heading}  ${oneLine(line, Infinity)}`;
    });
}

async function accept(
    definition: Definition,
    folders: McpFolders,
    permission: Permission
): Promise<string> {
    const { name, source } = definition;
    const store = openStore(folders);
    await store.allow(definition, permission);
    try {
        const { tools } = await ask(definition, folders, store);
        const reading = tools.filter(({ isReadOnly }) => isReadOnly).length;
        const asking = permission.readOnlyTools
            ? `Those that say they only read (${reading}) run without asking`
            : `All ask first, also those that say they only read (${reading})`;
        return `${name} offers ${counted(tools.length, "tool")}. ${asking}. They are available the next time North starts.`;
    } catch (error) {
        const next = source === "user" ? "Correct" : "If needed, correct";
        return `It may run, but ${reasonOf(error)}. ${next} its definition, then run \`north mcp\`.`;
    }
}
