import { randomBytes } from "node:crypto";
import { lstatSync, mkdirSync, writeFileSync } from "node:fs";
import { once } from "node:events";
import { createServer, type Server } from "node:net";
import path from "node:path";
import type { ShellOutcome } from "../../../plugin/shell.js";
import { removeTree } from "../../private-folder.js";
import { quote } from "../../../base/shell-quote.js";

const DONE = "done";
const MODE = 0o640;

/**
 * A first command that tries what a read-only run must refuse: to read, write and change the mode of
 * a file of North's, to reach a service, to signal North, and to read its environment.
 */
export class ReadOnlyTrial {
    private constructor(
        private readonly folder: string,
        private readonly service: Server,
        private readonly port: number
    ) {}

    static async plant(base: string): Promise<ReadOnlyTrial> {
        const folder = path.join(base, `trial-${randomBytes(6).toString("hex")}`);
        mkdirSync(folder, { mode: 0o700 });
        writeFileSync(path.join(folder, "secret"), "", { mode: MODE });
        const service = createServer((socket) => socket.destroy());
        service.unref();
        service.listen(0, "127.0.0.1");
        await once(service, "listening");
        const address = service.address();
        const port = typeof address === "object" ? (address?.port ?? 0) : 0;
        return new ReadOnlyTrial(folder, service, port);
    }

    get command(): string {
        const secret = quote(this.secret);
        return `
say() { \\builtin printf '%s\\0' "$@"; }
{ : <${secret}; } 2>/dev/null && say 'could read a file that must stay hidden'
{ : >>${secret}; } 2>/dev/null && say 'could write to a file of this machine'
chmod 0 ${secret} 2>/dev/null && say 'could change the mode of a file of this machine'
{ : </dev/tcp/127.0.0.1/${this.port}; } 2>/dev/null && say 'could reach a service of this machine'
\\builtin kill -0 ${process.pid} 2>/dev/null && say 'could signal a process of this machine'
{ : </proc/${process.pid}/environ; } 2>/dev/null && say 'could read the environment of another process'
say ${DONE}
`;
    }

    /** Returns what went wrong, to complete "A trial command ...". */
    problemIn({ stdout, stderr, exitCode }: ShellOutcome): string | undefined {
        const said = stdout.split("\0").filter((each) => each !== "");
        if (exitCode !== 0 || said.at(-1) !== DONE) return `failed: ${stderr.trim() || exitCode}`;
        if (said.length > 1) return said[0];
        const { mode, size } = lstatSync(this.secret);
        return (mode & 0o777) === MODE && size === 0 ? undefined : "could change a file of North's";
    }

    async remove(): Promise<void> {
        this.service.close();
        await once(this.service, "close");
        await removeTree(this.folder);
    }

    private get secret(): string {
        return path.join(this.folder, "secret");
    }
}
