import { once } from "node:events";
import { readFileSync } from "node:fs";
import net, { type AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import tls from "node:tls";

import { expect } from "chai";

import {
    TrafficProxy,
    type TrafficProxyOptions,
} from "../../../../src/shell/containment/network/traffic-proxy.js";
import { until, withLongerLimits } from "../../shells.js";
import { CERTIFICATE, LoopbackHosts } from "./loopback-hosts.js";

const ALLOWED = new Set(["allowed.example", "other-port.example:8080", "localhost.example"]);

describe("the proxy for contained commands", () => {
    let hosts: LoopbackHosts;
    let proxy: TrafficProxy;
    let asked: string[];

    async function open(options: Partial<TrafficProxyOptions> = {}): Promise<void> {
        proxy = new TrafficProxy({
            permit: async (name) => {
                asked.push(name);
                return ALLOWED.has(name) ? {} : { refused: "not allowed" };
            },
            reach: hosts.reach,
            ...options,
        });
        proxy.server.listen(0, "127.0.0.1");
        await once(proxy.server, "listening");
    }

    beforeEach(async () => {
        asked = [];
        hosts = new LoopbackHosts();
        await hosts.serve((request, response) => {
            request.on("data", () => {}).on("end", () => response.end(`plain ${request.url}`));
        });
        await hosts.serveTls((request, response) => void response.end(`tls ${request.url}`));
    });
    afterEach(async () => {
        proxy.close();
        await hosts.close();
    });

    async function client(): Promise<net.Socket> {
        const socket = net.connect((proxy.server.address() as AddressInfo).port, "127.0.0.1");
        socket.on("error", () => {});
        await once(socket, "connect");
        return socket;
    }

    /** Sends bytes; resolves with all that comes back until the proxy closes or says enough. */
    async function exchange(...pieces: readonly (string | Buffer)[]): Promise<string> {
        const socket = await client();
        let answer = "";
        socket.on("data", (bytes) => (answer += bytes.toString("latin1")));
        for (const piece of pieces) socket.write(piece);
        await once(socket, "close");
        return answer;
    }

    function get(url: string, headers = `Host: ${new URL(url).host}\r\n`): string {
        return `GET ${url} HTTP/1.1\r\n${headers}Connection: close\r\n\r\n`;
    }

    /** Opens a tunnel and speaks TLS in it as `servername`. */
    async function tunnel(authority: string, servername: string, path = "/"): Promise<string> {
        const socket = await client();
        socket.write(`CONNECT ${authority} HTTP/1.1\r\nHost: ${authority}\r\n\r\n`);
        const [head] = (await once(socket, "data")) as [Buffer];
        if (!/^HTTP\/1\.1 200/.test(head.toString())) return head.toString();
        const secured = tls.connect({
            socket,
            servername,
            ca: readFileSync(CERTIFICATE),
            checkServerIdentity: () => undefined,
        });
        let answer = "";
        secured.on("data", (bytes) => (answer += String(bytes)));
        secured.on("error", () => {});
        secured.write(`GET ${path} HTTP/1.1\r\nHost: ${servername}\r\nConnection: close\r\n\r\n`);
        await once(secured, "close");
        return answer;
    }

    it("forwards a plain request to an allowed host, and asks about the host once", async () => {
        await open();
        const first = await exchange(get("http://allowed.example/a?b=c"));
        const second = await exchange(get("http://allowed.example"));

        expect(first)
            .to.match(/^HTTP\/1\.1 200 OK\r\n/)
            .and.to.match(/plain \/a\?b=c/);
        expect(second).to.include("plain /");
        expect(asked).to.deep.equal(["allowed.example"]);
        expect(hosts.arrived).to.deep.equal([
            "GET allowed.example /a?b=c",
            "GET allowed.example /",
        ]);
    });

    it("carries TLS for the host a tunnel was opened for", async () => {
        await open();
        expect(await tunnel("allowed.example:443", "allowed.example", "/x")).to.include("tls /x");
        expect(hosts.arrived).to.deep.equal(["GET allowed.example /x"]);
    });

    it("counts the bytes of each host to the byte", async () => {
        await open();
        const body = Buffer.alloc(3_000_000, "x");
        const seen = { received: 0, sent: 0 };
        await hosts.serveRaw((socket) => {
            socket.on("data", (bytes) => {
                seen.received += bytes.length;
                if (seen.sent > 0) return;
                const head = `HTTP/1.1 200 OK\r\nContent-Length: ${body.length}\r\n\r\n`;
                seen.sent = head.length + body.length;
                socket.write(head);
                socket.write(body);
            });
        }, 80);
        const answer = await exchange(get("http://allowed.example/big"));

        expect(answer.length).to.be.greaterThan(body.length);
        await until("all is counted", () => proxy.traffic()[0]?.received === seen.sent);
        expect(proxy.traffic()).to.deep.equal([
            {
                host: "allowed.example",
                requests: 1,
                received: seen.sent,
                sent: seen.received,
            },
        ]);
    });

    it("forwards a chunked body and sends its framing anew", async () => {
        await open();
        const head = "POST http://allowed.example/p HTTP/1.1\r\nHost: allowed.example\r\n";
        const answer = await exchange(
            `${head}Transfer-Encoding: chunked\r\nConnection: close\r\n\r\n`,
            "3\r\nabc\r\n0\r\n\r\n"
        );
        expect(answer).to.include("plain /p");
    });

    it("keeps headers for the proxy and for this connection from the host", async () => {
        await open();
        let received = "";
        await hosts.serveRaw((socket) => {
            socket.on("data", (bytes) => {
                received += bytes.toString();
                socket.end("HTTP/1.1 204 No Content\r\n\r\n");
            });
        }, 80);
        await exchange(
            get(
                "http://allowed.example/",
                "Host: allowed.example\r\nProxy-Authorization: Basic x\r\nConnection: X-Mine\r\nX-Mine: 1\r\nUpgrade: websocket\r\nX-Kept: 1\r\n"
            )
        );
        expect(received).to.match(/X-Kept: 1/);
        expect(received).not.to.match(/Proxy-Authorization|X-Mine|Upgrade/);
    });

    it("keeps the length of a body, whatever headers the connection is said to own", async () => {
        await open();
        let received = "";
        await hosts.serveRaw((socket) => {
            socket.on("data", (bytes) => {
                received += bytes.toString();
                if (received.includes("denied")) socket.end("HTTP/1.1 204 No Content\r\n\r\n");
            });
        }, 80);
        const second = "GET http://denied.example/ HTTP/1.1\r\nHost: denied.example\r\n\r\n";
        await exchange(
            get(
                "http://allowed.example/",
                `Host: allowed.example\r\nConnection: close, Content-Length\r\nContent-Length: ${second.length}\r\n`
            ),
            second
        );
        expect(received).to.match(/Content-Length|Transfer-Encoding: chunked/i);
    });

    it("does not look a host up before it is allowed", async () => {
        await open();
        expect(await exchange(get("http://denied.example/"))).to.match(/^HTTP\/1\.1 403/);
        expect(await tunnel("denied.example:443", "denied.example")).to.match(/^HTTP\/1\.1 403/);
        expect(hosts.lookedUp).to.deep.equal([]);
        expect(proxy.traffic()).to.deep.equal([
            { host: "denied.example", requests: 0, received: 0, sent: 0, refused: "not allowed" },
        ]);
    });

    it("names the host that it refused whole, however long its name is", async () => {
        await open();
        const name = `${"a.".repeat(110)}denied.example`;
        expect(await exchange(get(`http://${name}/`))).to.match(/^HTTP\/1\.1 403/);
        expect(proxy.traffic().map(({ host }) => host)).to.deep.equal([name]);
    });

    it("asks about another port as another service", async () => {
        await open();
        await hosts.serve((_, response) => void response.end("another service"), 8080);
        const allowed = await exchange(get("http://other-port.example:8080/"));
        await exchange(get("http://allowed.example:8080/"));

        expect(allowed).to.include("another service");
        expect(asked).to.deep.equal(["other-port.example:8080", "allowed.example:8080"]);
        expect(hosts.arrived).to.deep.equal(["GET other-port.example:8080 /"]);
    });

    for (const address of [
        ...["127.0.0.2", "10.0.0.1", "192.168.1.1", "172.16.0.1", "169.254.169.254"],
        ...["100.64.0.1", "0.0.0.0", "168.63.129.16", "::1", "fe80::1", "fd00::1"],
        ...["::ffff:127.0.0.1", "::ffff:169.254.169.254", "64:ff9b::7f00:1"],
    ]) {
        it(`refuses an allowed name that resolves to ${address}`, async () => {
            const { resolveHost, portOf } = hosts.reach;
            await open({
                reach: { ...(resolveHost && { resolveHost }), ...(portOf && { portOf }) },
            });
            hosts.addresses.set("allowed.example", address);
            expect(await exchange(get("http://allowed.example/"))).to.match(/^HTTP\/1\.1 403/);
            expect(await tunnel("allowed.example:443", "allowed.example")).to.match(/403/);
            expect(proxy.traffic()[0]).to.deep.include({
                requests: 0,
                refused: `${address} is not on the public internet`,
            });
        });
    }

    it("refuses a name that resolves to a private address only later", async () => {
        await open();
        await exchange(get("http://allowed.example/first"));
        hosts.addresses.set("allowed.example", "127.0.0.2");
        expect(await exchange(get("http://allowed.example/second"))).to.match(/^HTTP\/1\.1 403/);
        expect(hosts.arrived).to.deep.equal(["GET allowed.example /first"]);
    });

    it("follows no redirect, so that its host is asked about", async () => {
        await open();
        await hosts.serve((_, response) => {
            response.writeHead(302, { location: "http://denied.example/secret" }).end();
        });
        const answer = await exchange(get("http://allowed.example/"));
        expect(answer)
            .to.match(/^HTTP\/1\.1 302/)
            .and.to.match(/location: http:\/\/denied/i);
        expect(asked).to.deep.equal(["allowed.example"]);
    });

    const host = "Host: allowed.example\r\n";
    const connect = (authority: string) =>
        `CONNECT ${authority} HTTP/1.1\r\nHost: ${authority}\r\n\r\n`;
    /** What tries to get beyond the allowed host, and how. */
    const ATTEMPTS: readonly (readonly [string, ...(string | Buffer)[]])[] = [
        [
            "a Host header that names another host",
            get("http://allowed.example/", "Host: denied.example\r\n"),
        ],
        ["two Host headers", get("http://allowed.example/", `${host}Host: denied.example\r\n`)],
        ["another host in the target", get("http://denied.example/", host)],
        [
            "another port in the Host header",
            get("http://allowed.example/", "Host: allowed.example:81\r\n"),
        ],
        ["a user in the target", get("http://allowed.example@denied.example/", host)],
        [
            "a backslash in the target",
            get("http://allowed.example", host).replace("example ", "example\\@denied.example "),
        ],
        ["a request without a host", `GET / HTTP/1.1\r\n${host}\r\n`],
        ["a request for https", get("https://allowed.example/", host)],
        ["a request for ftp", get("ftp://allowed.example/", host)],
        ["a decimal address", get("http://2130706433/", "Host: 2130706433\r\n")],
        ["a hexadecimal address", "GET http://0x7f.1/ HTTP/1.1\r\nHost: 0x7f.1\r\n\r\n"],
        ["an octal address", "GET http://0177.0.0.1/ HTTP/1.1\r\nHost: 0177.0.0.1\r\n\r\n"],
        ["an IPv4 address", get("http://127.0.0.1/")],
        ["an IPv6 address", get("http://[::1]/")],
        ["a mapped IPv6 address", get("http://[::ffff:127.0.0.1]/")],
        ["the machine's own name", get("http://localhost/")],
        ["the metadata address", get("http://169.254.169.254/latest/meta-data/")],
        ["the metadata service's short name", get("http://metadata/computeMetadata/v1/")],
        ["a tunnel to an address", connect("127.0.0.1:443")],
        ["a tunnel to an IPv6 address", connect("[::1]:443")],
        ["a tunnel to a decimal address", connect("2130706433:443")],
        ["a tunnel without a port", connect("allowed.example")],
        ["a tunnel to port 0", connect("allowed.example:0")],
        ["a tunnel to another port", connect("allowed.example:22")],
        [
            "a tunnel with another Host header",
            `CONNECT allowed.example:443 HTTP/1.1\r\nHost: denied.example:443\r\n\r\n`,
        ],
        ["a tunnel with a path", connect("allowed.example:443/x")],
        ["plain HTTP in a tunnel", connect("allowed.example:443"), `GET / HTTP/1.1\r\n${host}\r\n`],
        ["SSH in a tunnel", connect("allowed.example:443"), "SSH-2.0-OpenSSH_9.0\r\n"],
        ["TLS without a server name", connect("allowed.example:443"), helloFor(undefined)],
        ["TLS for another server", connect("allowed.example:443"), helloFor("denied.example")],
        [
            "TLS for two servers",
            connect("allowed.example:443"),
            helloFor("allowed.example", "denied.example"),
        ],
        [
            "TLS with an encrypted hello",
            connect("allowed.example:443"),
            helloFor("allowed.example", 0xfe0d),
        ],
        [
            "a TLS hello that lies about its length",
            connect("allowed.example:443"),
            truncated(helloFor("allowed.example")),
        ],
        ["HTTP/2 with prior knowledge", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"],
        [
            "two lengths",
            `POST http://allowed.example/ HTTP/1.1\r\n${host}Content-Length: 3\r\nContent-Length: 50\r\n\r\nabc`,
        ],
        [
            "a length and chunks",
            `POST http://allowed.example/ HTTP/1.1\r\n${host}Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET http://denied.example/ HTTP/1.1\r\nHost: denied.example\r\n\r\n`,
        ],
        [
            "a disguised encoding",
            `POST http://allowed.example/ HTTP/1.1\r\n${host}Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n`,
        ],
        [
            "a header folded over lines",
            `GET http://allowed.example/ HTTP/1.1\r\n${host}X: a\r\n b\r\nHost : denied.example\r\n\r\n`,
        ],
        [
            "a line feed in the target",
            `GET http://allowed.example/\nHost: denied.example HTTP/1.1\r\n${host}\r\n`,
        ],
        [
            "a request that a proxy on the way would send back, with its password",
            `TRACE http://allowed.example/ HTTP/1.1\r\n${host}Max-Forwards: 0\r\n\r\n`,
        ],
    ];
    for (const [what, ...pieces] of ATTEMPTS) {
        it(`No other host is reached by ${what}`, async () => {
            await open({ limits: { startMs: 1_000 } });
            await exchange(...pieces);
            expect(hosts.arrived).to.deep.equal([]);
            expect(hosts.lookedUp.filter((name) => name !== "allowed.example")).to.deep.equal([]);
            const { sent } = proxy
                .traffic()
                .reduce((sum, each) => ({ sent: sum.sent + each.sent }), { sent: 0 });
            expect(sent).to.equal(0);
        });
    }

    it("takes no upgrade: a WebSocket request stays a plain one", async () => {
        await open();
        const answer = await exchange(
            get("http://allowed.example/", `${host}Upgrade: websocket\r\nConnection: Upgrade\r\n`)
        );
        expect(answer).to.match(/^HTTP\/1\.1 200/);
        expect(asked).to.deep.equal(["allowed.example"]);
    });

    it("judges each request of a connection by itself", async () => {
        await open();
        const answer = await exchange(
            `GET http://allowed.example/1 HTTP/1.1\r\n${host}\r\n`,
            "GET http://denied.example/2 HTTP/1.1\r\nHost: denied.example\r\n\r\n"
        );
        expect(answer).to.include("plain /1").and.to.include("403 Forbidden");
        expect(hosts.arrived).to.deep.equal(["GET allowed.example /1"]);
    });

    it("closes a connection whose request trickles in", async () => {
        await open({ limits: { startMs: 300 } });
        const socket = await client();
        const closed = once(socket, "close");
        const drip = setInterval(() => socket.writable && socket.write("a"), 50);
        socket.on("data", () => {});
        socket.write("GET http://allowed.example/");
        await closed;
        clearInterval(drip);
        expect(hosts.arrived).to.deep.equal([]);
    });

    it("closes a tunnel whose TLS hello trickles in", async () => {
        const traffic = await withLongerLimits(
            async (startMs) => {
                proxy?.close();
                await open({ limits: { startMs } });
                const socket = await client();
                socket.resume();
                const closed = once(socket, "close");
                socket.write(connect("allowed.example:443"));
                socket.write(helloFor("allowed.example").subarray(0, 20));
                await closed;
                return proxy.traffic();
            },
            // The limit covers the request for the tunnel too.
            ({ length }) => length > 0
        );
        expect(traffic[0]?.refused).to.equal("no TLS hello arrived");
    });

    it("reads a TLS hello that arrives byte by byte", async () => {
        await open();
        let received = Buffer.alloc(0);
        const hello = helloFor("allowed.example");
        await hosts.serveRaw((socket) => {
            socket.on("data", (bytes) => (received = Buffer.concat([received, bytes])));
        }, 443);
        const socket = await client();
        socket.setNoDelay(true);
        socket.write(connect("allowed.example:443"));
        await once(socket, "data");
        for (const byte of hello) socket.write(Buffer.of(byte));
        await until("the hello arrives", () => received.length === hello.length);
        expect(received.equals(hello)).to.equal(true);
        socket.destroy();
    });

    it("ends connections that exchange more than the limit", async () => {
        await open({ limits: { receivedBytes: 100_000 } });
        await hosts.serveRaw((socket) => {
            socket.on("error", () => {});
            socket.write("HTTP/1.1 200 OK\r\n\r\n");
            const more = setInterval(() => socket.write(Buffer.alloc(50_000)), 20);
            socket.on("close", () => clearInterval(more));
        }, 80);
        await exchange(get("http://allowed.example/endless"));
        expect(proxy.traffic()[0]?.refused).to.match(/more than a contained command may/);
    });

    it("asks about a limited number of hosts", async () => {
        await open({ limits: { hosts: 3 } });
        for (let index = 0; index < 6; index += 1) {
            await exchange(get(`http://h${index}.example/`));
        }
        expect(asked).to.have.length(3);
        expect(proxy.traffic().at(-1)).to.deep.include({ refused: "too many hosts" });
    });

    it("does not count the wait for an answer as idle", async () => {
        const answer = await withLongerLimits(
            async (idleMs) => {
                await open({ permit: () => sleep(3 * idleMs, {}), limits: { idleMs } });
                return exchange(get("http://allowed.example/late")).finally(() => proxy.close());
            },
            (each) => each !== ""
        );
        expect(answer).to.include("plain /late");
    });
});

/** A TLS 1.3 hello with these server names, or a number for an extension of that type. */
function helloFor(...content: readonly (string | number | undefined)[]): Buffer {
    const names = content.filter((each) => typeof each === "string");
    const list = Buffer.concat(
        names.map((name) => Buffer.concat([Buffer.of(0), sized(2, Buffer.from(name))]))
    );
    const extensions = Buffer.concat([
        ...(names.length === 0 ? [] : [extension(0, sized(2, list))]),
        ...content.flatMap((each) =>
            typeof each === "number" ? [extension(each, Buffer.of(0))] : []
        ),
        extension(43, Buffer.of(2, 3, 4)),
    ]);
    const body = Buffer.concat([
        Buffer.of(3, 3),
        Buffer.alloc(32, 7),
        Buffer.of(0),
        sized(2, Buffer.of(0x13, 0x01)),
        sized(1, Buffer.of(0)),
        sized(2, extensions),
    ]);
    const message = Buffer.concat([Buffer.of(1), sized(3, body)]);
    return Buffer.concat([Buffer.of(22, 3, 1), sized(2, message)]);
}

function extension(type: number, content: Buffer): Buffer {
    const head = Buffer.alloc(2);
    head.writeUInt16BE(type);
    return Buffer.concat([head, sized(2, content)]);
}

function sized(size: number, content: Buffer): Buffer {
    const length = Buffer.alloc(size);
    length.writeUIntBE(content.length, 0, size);
    return Buffer.concat([length, content]);
}

/** The extensions claim more bytes than there are. */
function truncated(hello: Buffer): Buffer {
    const copy = Buffer.from(hello);
    const at = copy.length - 7;
    copy.writeUInt16BE(60_000, at + 2);
    return copy;
}
