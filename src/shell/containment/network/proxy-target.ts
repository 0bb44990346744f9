export interface ProxyTarget {
    /** Lower case, without a final dot. */
    readonly host: string;
    readonly port: number;
    /** What a permission is stored under: another port is another service. */
    readonly name: string;
}

const USUAL_PORTS = new Set([80, 443]);
const LABEL = /^[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?$/;
/** What URL parsers take for the end of an IPv4 address, in any base. */
const NUMBER = /^(?:\d+|0x[\da-f]*)$/;

/** Parses `host:port`. Users, paths, addresses and names of one label are not allowed. */
export function parseAuthority(text: string): ProxyTarget | undefined {
    const [, host = "", digits = ""] = /^([^:]{1,254}):(\d{1,5})$/.exec(text) ?? [];
    return targetOf(host, Number(digits));
}

/** Parses the absolute form of a request for plain HTTP; `path` is as written. */
export function parseAbsoluteForm(
    text: string
): { readonly target: ProxyTarget; readonly path: string } | undefined {
    const [, authority, rest] = /^http:\/\/([^/?#\\@]+)((?:[/?].*)?)$/i.exec(text) ?? [];
    if (authority === undefined || rest === undefined || rest.includes("#")) return undefined;
    const target = targetOfHost(authority, 80);
    return target && { target, path: rest.startsWith("/") ? rest : `/${rest}` };
}

/** Whether a `Host` header, or what a client says in TLS, names the target. */
export function isSameTarget(written: string, target: ProxyTarget, usualPort: number): boolean {
    const named = targetOfHost(written, usualPort);
    return named?.host === target.host && named.port === target.port;
}

function targetOfHost(written: string, usualPort: number): ProxyTarget | undefined {
    return parseAuthority(written.includes(":") ? written : `${written}:${usualPort}`);
}

function targetOf(written: string, port: number): ProxyTarget | undefined {
    const host = written.toLowerCase().replace(/\.$/, "");
    const labels = host.split(".");
    const last = labels.at(-1) ?? "";
    if (labels.length < 2 || host.length > 253 || NUMBER.test(last)) return undefined;
    if (!labels.every((label) => LABEL.test(label)) || port < 1 || port > 65_535) return undefined;
    return { host, port, name: USUAL_PORTS.has(port) ? host : `${host}:${port}` };
}
