import { spawn } from "node:child_process";
import type { Server } from "node:net";
import type { HostAccess } from "../../../base/host-traffic.js";
import { NorthError } from "../../../base/north-error.js";
import { findProgram } from "../../../base/search-path.js";
import { within } from "../../../base/waiting.js";
import { SYSTEM_PATH } from "../containment.js";
import { TrafficProxy } from "./traffic-proxy.js";
import type { UpstreamAccess } from "./upstream.js";

/** Nothing else listens in a fresh network namespace. */
const PORT = 3128;
const URL = `http://127.0.0.1:${PORT}`;
const LOCAL = "localhost,127.0.0.1,::1";
/** A client must wait while the user is asked. */
const PATIENCE_S = "600";

/** What tools read; not all read the first ones. */
export const PROXY_VARIABLES: Readonly<Record<string, string>> = {
    ...Object.fromEntries(
        ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"].flatMap((name) => [
            [name, URL],
            [name.toLowerCase(), URL],
        ])
    ),
    NO_PROXY: LOCAL,
    no_proxy: LOCAL,
    npm_config_proxy: URL,
    npm_config_https_proxy: URL,
    npm_config_noproxy: LOCAL,
    npm_config_fetch_timeout: `${PATIENCE_S}000`,
    YARN_HTTP_PROXY: URL,
    YARN_HTTPS_PROXY: URL,
    PIP_PROXY: URL,
    PIP_DEFAULT_TIMEOUT: PATIENCE_S,
    UV_HTTP_TIMEOUT: PATIENCE_S,
    CARGO_HTTP_PROXY: URL,
    CARGO_HTTP_TIMEOUT: PATIENCE_S,
    NODE_USE_ENV_PROXY: "1",
};

/** Runs in the network namespace of the command, but in nothing else of it: hands over a socket. */
const LISTEN = `require("node:net").createServer().listen(${PORT}, "127.0.0.1", function () { process.send("listening", this); });`;
const LISTEN_MS = 10_000;

/** Whether this machine has what a run with hosts takes. */
export function canReachHosts(): boolean {
    return ["ip", "nsenter"].every((program) => findProgram(program, SYSTEM_PATH));
}

/**
 * The network of one contained run: a proxy in North that listens inside the run's own network
 * namespace. No process and no file of North is in there, and nothing else leads out.
 */
export class RunNetwork {
    private readonly proxy: TrafficProxy;
    private waiting = 0;
    private waitedMs = 0;
    private since = 0;

    constructor(hosts: HostAccess, reach: Partial<UpstreamAccess> = {}) {
        const permit = (host: string) => this.timed(hosts.permit(host));
        this.proxy = new TrafficProxy({ permit, reach });
    }

    /** Listens in the network of a process that waits and cannot have been replaced. */
    async listenIn(process: number | undefined): Promise<void> {
        this.proxy.server.listen(await listenerIn(process));
    }

    /** How long the run has waited for the user. */
    get waited(): number {
        return this.waitedMs + (this.waiting > 0 ? Date.now() - this.since : 0);
    }

    get traffic() {
        return this.proxy.traffic();
    }

    close(): void {
        this.proxy.close();
    }

    private async timed<Value>(answer: Promise<Value>): Promise<Value> {
        if (this.waiting === 0) this.since = Date.now();
        this.waiting += 1;
        try {
            return await answer;
        } finally {
            this.waiting -= 1;
            if (this.waiting === 0) this.waitedMs += Date.now() - this.since;
        }
    }
}

async function listenerIn(target: number | undefined): Promise<Server> {
    const own = ["--preserve-credentials", "--user", "--net", "--target", String(target)];
    const child = spawn("nsenter", [...own, process.execPath, "-e", LISTEN], {
        env: { PATH: SYSTEM_PATH },
        stdio: ["ignore", "ignore", "pipe", "ipc"],
    });
    let errors = "";
    child.stderr?.on("data", (bytes: Buffer) => (errors += bytes.toString()));
    const listening = new Promise<Server | undefined>((resolve) => {
        child.once("message", (_, handle) => resolve(handle as Server | undefined));
        child.once("error", (error) => {
            errors += error.message;
            resolve(undefined);
        });
        child.once("close", () => resolve(undefined));
    });
    const listener = await within(LISTEN_MS, listening, () => undefined);
    // It holds the socket too, and would take connections.
    child.kill("SIGKILL");
    if (listener !== undefined) return listener;
    const reason = `its network could not be set up: ${errors.trim() || "no answer"}`;
    throw new NorthError("containment-failed", `The command could not run contained: ${reason}.`);
}
