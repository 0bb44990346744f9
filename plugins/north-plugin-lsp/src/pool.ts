import { NorthError } from "north-cli/plugin";
import { LIMITS } from "./limits.js";
import { Server } from "./server.js";
import { kindFor, rootFor, type ServerKind, SERVERS } from "./servers.js";

/** The servers of a session: one for each language and root. */
export class Pool {
    private readonly servers = new Map<string, Server>();

    constructor(
        readonly root: string,
        private readonly searchPath = process.env.PATH ?? "",
        readonly limits = LIMITS
    ) {}

    /** The server for a file. Throws `no-language-server` if there is none for its language. */
    for(file: string): Server {
        const kind = kindFor(file);
        if (!kind) {
            const known = SERVERS.map(({ program }) => program).join(", ");
            throw new NorthError("no-language-server", `No language server reads ${file}.`, [
                `North knows ${known}.`,
            ]);
        }
        const folder = rootFor(kind, file, this.root);
        const key = `${kind.program} ${folder}`;
        const server = this.servers.get(key) ?? this.newServer(kind, folder);
        this.servers.set(key, server);
        return server;
    }

    private newServer(kind: ServerKind, folder: string): Server {
        const { root, searchPath, limits } = this;
        return new Server({ kind, folder, root, searchPath, limits });
    }

    stop(): void {
        for (const server of this.servers.values()) server.stop();
    }
}
