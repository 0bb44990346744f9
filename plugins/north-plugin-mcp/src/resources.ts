import type { ContextPart, ContextSource } from "north-cli/plugin";
import type { Server } from "./server.js";

/** As for files: after white space or an opening bracket, quoted if it contains spaces. */
const MENTION = /(?<=^|[\s([{])@(?:"([\w.-]{1,40}):([^"\n]+)"|([\w.-]{1,40}):([^\s"'@]+))/g;
const TRAILING = /(?<![.,;!?)\]}>"'`])[.,;!?)\]}>"'`]+$/;
const MAX_MENTIONS = 10;
const MAX_CHARACTERS = 50_000;

/** Reads resources that a message mentions as `@server:uri`. */
export function mentionedResources(
    servers: ReadonlyMap<string, Pick<Server, "request">>
): ContextSource {
    return {
        name: "mcp-resources",
        async forMessage({ text }, { signal }) {
            const mentions = [...text.matchAll(MENTION)].flatMap((match) => {
                const [, quotedName, quoted, plainName = "", plain = ""] = match;
                const name = quotedName ?? plainName;
                const server = servers.get(name);
                return server ? { name, server, uri: quoted ?? plain.replace(TRAILING, "") } : [];
            });
            const read = mentions.slice(0, MAX_MENTIONS);
            return Promise.all(
                read.map(({ name, server, uri }) => readResource(name, server, uri, signal))
            );
        },
    };
}

async function readResource(
    name: string,
    server: Pick<Server, "request">,
    uri: string,
    signal: AbortSignal
): Promise<ContextPart> {
    const origin = `${name}:${uri}`;
    try {
        const { contents } = await server.request(signal, (connection) =>
            connection.read(uri, { signal })
        );
        const texts = contents.map((content) =>
            "text" in content ? content.text : `(binary, ${content.mimeType ?? "unknown type"})`
        );
        const whole = texts.join("\n\n");
        const text =
            whole.length <= MAX_CHARACTERS
                ? whole
                : `${whole.slice(0, MAX_CHARACTERS)}\n(cut: ${whole.length} characters in all)`;
        return { kind: "mcp", id: origin, text, origin, fromOutside: true };
    } catch (error) {
        const reason = error instanceof Error ? error.message : String(error);
        const text = `It could not be read: ${reason}`;
        return { kind: "mcp", id: origin, text, origin, fromOutside: true };
    }
}
