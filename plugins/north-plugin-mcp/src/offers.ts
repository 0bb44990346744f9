import { NorthError } from "north-cli/plugin";
import type { Definition } from "./definitions.js";
import { oneLine, reasonOf, skippedText } from "./reason.js";
import { launchOf } from "./launch.js";
import { environmentOf, type McpFolders } from "./folders.js";
import { Server } from "./server.js";
import type { Offers, Permission, Store } from "./stored.js";

/** What a server contributes at startup: its tools, or one sentence why there are none. */
type Outcome =
    | {
          readonly kind: "offers";
          readonly definition: Definition;
          readonly server: Server;
          readonly permission: Permission;
          readonly offers: Offers;
      }
    | { readonly kind: "problem"; readonly problem: string };

/** Less than the five seconds a plugin has to register. */
const FIRST_ANSWER_MS = 3_000;

/**
 * Returns a server's tools as of its last run, without starting it. Only a server that never ran is
 * started and waited for, and only once.
 */
export async function offersOf(
    definition: Definition,
    folders: McpFolders,
    store: Store
): Promise<Outcome> {
    const { name, source } = definition;
    const permission = await store.permission(definition);
    if (permission === undefined) {
        const problem =
            `.mcp.json names the server ${name} (${describe(definition)}), ` +
            `which runs only after you allow it: north mcp allow ${name}`;
        return { kind: "problem", problem };
    }
    try {
        const launch = launchOf(definition, environmentOf(folders));
        const server = new Server({ definition, launch, folders, store });
        const known = await store.knowledge(definition);
        if (known?.kind === "failed") {
            // Do not wait again: if it answers now, its tools are there at the next start.
            server.learn().catch(() => {});
            return { kind: "problem", problem: `${known.reason}; trying again, see \`north mcp\`` };
        }
        const offers = known ?? (await firstAnswer(server, definition, store));
        return { kind: "offers", definition, server, permission, offers };
    } catch (error) {
        return { kind: "problem", problem: `${source} server ${reasonOf(error)}` };
    }
}

export function problemsOf(outcome: Outcome): string[] {
    if (outcome.kind === "problem") return [outcome.problem];
    const { definition, offers } = outcome;
    return offers.skipped ? [`${definition.name}: ${skippedText(offers.skipped)}`] : [];
}

async function firstAnswer(server: Server, definition: Definition, store: Store) {
    const learning = server.learn();
    learning.catch(() => {});
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<undefined>((resolve) => {
        timer = setTimeout(() => resolve(undefined), FIRST_ANSWER_MS);
    });
    const offers = await Promise.race([learning, late]).finally(() => clearTimeout(timer));
    if (offers !== undefined) return offers;
    const reason = `${definition.name} did not list its tools within ${FIRST_ANSWER_MS / 1_000} s`;
    await store.learn(definition, { kind: "failed", reason });
    throw new NorthError("server-slow", reason);
}

/** The command or URL as written in the file; variables are not expanded. */
function describe({ value }: Definition): string {
    const { command, args, url } = value;
    const words = Array.isArray(args) ? [command, ...args] : [command];
    return oneLine(url === undefined ? words.join(" ") : String(url), 120);
}
