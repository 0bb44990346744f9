import { spawn } from "node:child_process";
import {
    constants,
    existsSync,
    lstatSync,
    openSync,
    readdirSync,
    readFileSync,
    readlinkSync,
    readSync,
    rmSync,
} from "node:fs";
import net from "node:net";
import path from "node:path";
import { createInterface } from "node:readline";

/** Where commands leave traces outside the place, by this name only: others may work there too. */
const TRACED = [
    ...[
        "/",
        "/dev",
        "/dev/shm",
        "/etc",
        "/home",
        "/opt",
        "/root",
        "/run",
        "/srv",
        "/sys/fs/cgroup",
    ],
    ...["/tmp", "/usr", "/usr/bin", "/var", "/var/tmp"],
];

/** What a command could change of the machine. */
const STATE = [
    "/proc/sys/kernel/core_pattern",
    "/proc/sys/kernel/hostname",
    "/proc/sys/kernel/pid_max",
    "/proc/sys/kernel/sysrq",
    "/proc/sys/user/max_user_namespaces",
    "/sys/kernel/mm/transparent_hugepage/enabled",
];

/** Looks from outside at what a contained command could have done. */
export class Witness {
    private readonly servers: net.Server[] = [];
    private readonly connections: string[] = [];
    private readonly pipes = new Map<string, number>();
    private readonly keeper = spawn("perl", ["-e", KEYS], { stdio: ["pipe", "pipe", "inherit"] });
    private readonly keys = createInterface(this.keeper.stdout)[Symbol.asyncIterator]();

    constructor(
        private readonly place: string,
        private readonly mark: string,
        /** Paths below the place that North itself writes to. */
        private readonly own: readonly string[]
    ) {}

    /** Plants a service at a path, an abstract name or a port. Whoever connects gets a secret. */
    async serve(name: string, at: string | number): Promise<number> {
        const server = net.createServer((socket) => {
            this.connections.push(name);
            socket.on("error", () => {}).end("hunter2-service");
        });
        await new Promise<void>((resolve, reject) => {
            server.once("error", reject);
            if (typeof at === "number") server.listen(at, "127.0.0.1", resolve);
            else if (at.startsWith("\0")) server.listen(at, resolve);
            else server.listen({ path: at, readableAll: true, writableAll: true }, resolve);
        });
        this.servers.push(server);
        const address = server.address();
        return typeof address === "object" && address ? address.port : 0;
    }

    readPipe(at: string): void {
        this.pipes.set(at, openSync(at, constants.O_RDWR | constants.O_NONBLOCK));
    }

    /** All that may not change, one line each. */
    async picture(): Promise<string[]> {
        const lines = STATE.filter((file) => existsSync(file)).map(
            (file) => `${file}: ${readFileSync(file, "latin1").trim()}`
        );
        for (const folder of TRACED) {
            const trace = path.join(folder, this.mark);
            if (existsSync(trace)) lines.push(`${trace} exists`);
        }
        this.walk(Buffer.from(this.place), lines);
        this.keeper.stdin.write("\n");
        const { value } = (await this.keys.next()) as { value: string | undefined };
        lines.push(`keys: ${value}`);
        return lines;
    }

    /** What happened besides, since the last call. */
    happened(): string[] {
        const happened = this.connections.splice(0).map((name) => `${name} got a connection`);
        const bytes = Buffer.alloc(4096);
        for (const [pipe, descriptor] of this.pipes) {
            try {
                if (readSync(descriptor, bytes) > 0) happened.push(`${pipe} got bytes`);
            } catch {
                // Nothing in it.
            }
        }
        for (const id of readdirSync("/proc").filter((name) => /^\d+$/.test(name))) {
            if (Number(id) === process.pid || !commandLine(id).includes(this.mark)) continue;
            happened.push(`process ${id} goes on: ${commandLine(id)}`);
            process.kill(Number(id), "SIGKILL");
        }
        return happened;
    }

    clean(): void {
        for (const folder of TRACED) {
            const trace = path.join(folder, this.mark);
            if (existsSync(trace)) rmSync(trace, { recursive: true });
        }
    }

    close(): void {
        for (const server of this.servers) server.close();
        this.keeper.kill();
    }

    private walk(folder: Buffer, lines: string[]): void {
        for (const name of readdirSync(folder, { encoding: "buffer" })) {
            const place = Buffer.concat([folder, Buffer.from("/"), name]);
            const shown = place.toString("latin1");
            if (this.own.includes(shown)) continue;
            const status = lstatSync(place);
            const content = status.isFile()
                ? readFileSync(place, "latin1").slice(0, 1000)
                : status.isSymbolicLink()
                  ? readlinkSync(place, "latin1")
                  : "";
            const { mode, uid, nlink, size } = status;
            const ofFile = status.isFile() ? [nlink, size] : [];
            lines.push(JSON.stringify([shown, mode.toString(8), uid, ...ofFile, content]));
            if (status.isDirectory()) this.walk(place, lines);
        }
    }
}

function commandLine(process: string): string {
    try {
        return readFileSync(`/proc/${process}/cmdline`, "latin1").replaceAll("\0", " ");
    } catch {
        return "";
    }
}

/**
 * Tells the session's keys with their contents whenever it is asked; there is no program for it
 * everywhere.
 */
const KEYS = `
use POSIX ();
$| = 1;
my $keyctl = (POSIX::uname())[4] eq "x86_64" ? 250 : 219;
while (<STDIN>) {
    my $ring = "\\0" x 400;
    my $size = syscall($keyctl, 11, -3, $ring, length $ring);
    my $keys = "";
    for my $key (unpack "l*", substr $ring, 0, $size) {
        my $text = "\\0" x 100;
        my $length = syscall($keyctl, 6, $key, $text, length $text);
        my $content = "\\0" x 100;
        my $read = syscall($keyctl, 11, $key, $content, length $content);
        $keys .= substr($text, 0, $length - 1) . "=" . ($read > 0 ? substr($content, 0, $read) : "?") . " ";
    }
    print $keys =~ tr/\\n/ /r, "\\n";
}`;
