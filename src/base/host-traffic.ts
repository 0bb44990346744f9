import { counted, formatBytes, firstRows } from "./format.js";

/** Decides about hosts that a contained command wants to reach. */
export interface HostAccess {
    /** Asked once for each host of a run; `refused` completes `refused: ...`. Never rejects. */
    permit(host: string): Promise<{ readonly refused?: string }>;
}

export interface HostTraffic {
    /** `registry.example`, with a port that is not the usual one: `registry.example:8080`. */
    readonly host: string;
    /** Requests over HTTP, and tunnels for TLS, whose requests cannot be counted. */
    readonly requests: number;
    readonly received: number;
    readonly sent: number;
    /** Whether a plain response asked for a login; those inside TLS cannot be seen. */
    readonly wantsLogin?: true;
    /** Why something was not let through: `the user did not allow it`. */
    readonly refused?: string;
}

const MAX_SHOWN = 8;

/** `registry.example 214 requests, 38 MB in, 6 KB out`; `other.example refused: not allowed`. */
export function trafficText(traffic: readonly HostTraffic[]): string {
    const hosts = traffic.map(hostText);
    return firstRows(hosts, MAX_SHOWN, (more) => counted(more, "more host")).join(" · ");
}

function hostText({ host, requests, received, sent, refused }: HostTraffic): string {
    const refusal = refused === undefined ? "" : `refused: ${refused}`;
    if (requests === 0) return `${host} ${refusal}`;
    const amounts = `${counted(requests, "request")}, ${formatBytes(received)} in, ${formatBytes(sent)} out`;
    return `${host} ${amounts}${refusal && `, ${refusal}`}`;
}
