import path from "node:path";
import type { Definition } from "./definitions.js";
import { isRecord, type JsonRecord, readJson, removeJson, writeJson } from "./json.js";
import type { McpFolders } from "./folders.js";

/** A tool as described by its server. */
export interface ToolOffer {
    readonly name: string;
    readonly description: string;
    readonly inputSchema: { readonly type: "object" };
    /** The server claims that it changes nothing. */
    readonly isReadOnly: boolean;
}

/** A prompt as described by its server. */
export interface PromptOffer {
    readonly name: string;
    readonly description: string;
    readonly arguments: readonly { readonly name: string; readonly isRequired: boolean }[];
}

export interface Offers {
    readonly tools: readonly ToolOffer[];
    readonly prompts: readonly PromptOffer[];
    readonly hasResources: boolean;
    /** The names of tools and prompts that North cannot use. */
    readonly skipped?: readonly string[];
}

/** What we know about a server without starting it. */
type Knowledge =
    | ({ readonly kind: "offers" } & Offers)
    | { readonly kind: "failed"; readonly reason: string };

/** What the user allows a server. */
export interface Permission {
    /** Tools the server calls read-only run without asking, in ask mode too. */
    readonly readOnlyTools: boolean;
}

/** Files outside any repository, and secrets, by definition: a changed definition starts afresh. */
export function openStore({ dataFolder, secrets }: Pick<McpFolders, "dataFolder" | "secrets">) {
    const permissionFile = ({ hash }: Definition) =>
        path.join(dataFolder, "allowed", `${hash}.json`);
    const toolsFile = ({ hash }: Definition) => path.join(dataFolder, "tools", `${hash}.json`);
    return {
        /** `undefined` if the server must not be started. */
        async permission(definition: Definition): Promise<Permission | undefined> {
            const stored = await readJson(permissionFile(definition)).catch(() => undefined);
            const isAllowed = isRecord(stored) && stored.hash === definition.hash;
            if (!isAllowed && definition.source === "repository") return undefined;
            return { readOnlyTools: isAllowed && stored.readOnlyTools === true };
        },
        async allow(definition: Definition, { readOnlyTools }: Permission): Promise<void> {
            await writeJson(permissionFile(definition), { ...definition, readOnlyTools });
        },
        /** Revokes the permission and deletes what was learned. */
        async forget(definition: Definition): Promise<void> {
            const outermost = path.dirname(dataFolder);
            await removeJson(permissionFile(definition), outermost);
            await removeJson(toolsFile(definition), outermost);
            await this.signOut(definition);
        },
        async signIn({ hash, value }: Definition): Promise<JsonRecord | undefined> {
            // Do not prompt to unlock the keychain for a local server.
            const text = "url" in value ? await secrets.find(hash) : undefined;
            const stored: unknown = text === undefined ? undefined : JSON.parse(text);
            return isRecord(stored) ? stored : undefined;
        },
        async keepSignIn({ hash }: Definition, signIn: object): Promise<void> {
            await secrets.save(hash, JSON.stringify(signIn));
        },
        /** Resolves with whether there was a sign-in. */
        async signOut({ hash, value }: Definition): Promise<boolean> {
            return "url" in value && (await secrets.remove(hash));
        },
        async knowledge(definition: Definition): Promise<Knowledge | undefined> {
            const stored = await readJson(toolsFile(definition)).catch(() => undefined);
            return isKnowledge(stored) ? stored : undefined;
        },
        async learn(definition: Definition, knowledge: Knowledge): Promise<void> {
            await writeJson(toolsFile(definition), knowledge);
        },
    };
}

export type Store = ReturnType<typeof openStore>;

function isKnowledge(value: unknown): value is Knowledge {
    if (!isRecord(value)) return false;
    if (value.kind === "failed") return typeof value.reason === "string";
    const { kind, tools, prompts } = value;
    const lists = [tools, prompts].filter((list) => Array.isArray(list));
    return kind === "offers" && lists.length === 2 && lists.flat().every(isOffer);
}

function isOffer(value: unknown): boolean {
    return isRecord(value) && typeof value.name === "string";
}
