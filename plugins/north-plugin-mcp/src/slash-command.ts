import type { SlashCommand, SlashContext } from "north-cli/plugin";
import type { McpFolders } from "./folders.js";

const USAGE = "/mcp [allow NAME [--read-only] | deny NAME | login NAME | logout NAME]";

/** `/mcp` lists the servers and controls which may run. */
export function mcp(folders: McpFolders): SlashCommand {
    return {
        name: "mcp",
        description: "List the MCP servers and their tools, or allow one.",
        usage: USAGE,
        async complete(argument) {
            const { serverNames } = await import("./manage.js");
            const names = await serverNames(folders);
            return ["allow", "deny", "login", "logout"]
                .flatMap((verb) => names.map((name) => `${verb} ${name}`))
                .filter((value) => value.startsWith(argument))
                .map((value) => ({ value }));
        },
        async run(argumentsText, context) {
            const manage = await import("./manage.js");
            const [verb, name = "", flag, ...rest] = argumentsText.trim().split(/\s+/);
            const readOnlyTools = flag === "--read-only";
            if (verb === "") {
                return show(context, "Asking the MCP servers", async () =>
                    manage.overviewText(await manage.overviewOf(folders))
                );
            }
            if (rest.length === 0 && verb === "allow" && name !== "" && (readOnlyTools || !flag)) {
                return allow(context, folders, name, readOnlyTools);
            }

            if (verb === "deny" && name !== "" && !flag) {
                return context.screen.print(await manage.denyServer(folders, name));
            }

            if (verb === "login" && name !== "" && !flag) {
                const { signIn } = await import("./sign-in.js");
                return show(context, `Waiting for your sign-in to ${name}`, (signal) =>
                    signIn(folders, name, (text) => context.screen.printVerbatim(text), signal)
                );
            }

            if (verb === "logout" && name !== "" && !flag) {
                const { signOut } = await import("./sign-in.js");
                return context.screen.print(await signOut(folders, name));
            }

            context.screen.print(`Usage: ${USAGE}`);
        },
    };
}

async function allow(
    context: SlashContext,
    folders: McpFolders,
    name: string,
    readOnlyTools: boolean
): Promise<void> {
    const { requestToAllow } = await import("./allow.js");
    const request = await requestToAllow(folders, name, { readOnlyTools });
    const { question, confirmation, accept } = request;
    if (!(await context.screen.confirm(question, confirmation))) {
        return context.screen.print("Nothing allowed.");
    }
    await show(context, `Starting ${name}`, accept);
}

async function show(
    context: SlashContext,
    label: string,
    work: (signal: AbortSignal) => Promise<string>
): Promise<void> {
    let text = "";
    await context.screen.during(label, async (signal) => {
        text = await work(signal);
    });
    if (text !== "") context.screen.print(text);
}
