import { once } from "node:events";
import { readFileSync } from "node:fs";
import http from "node:http";
import https from "node:https";
import type { AddressInfo } from "node:net";
import { expect } from "chai";
import { requestPage } from "../../src/builtin/tools/web/request-page.js";
import { failureOf } from "../../src/provider-kit/failures.js";
import { createNodeHttpFetch } from "../../src/provider-kit/node-http-fetch.js";
import { restoreEnvironment } from "../helpers/environment.js";
import { type ProxyServer, startProxy } from "../helpers/proxy-server.js";

const NAMES = ["http_proxy", "https_proxy", "all_proxy", "no_proxy"];
const pem = (name: string) =>
    readFileSync(new URL(`../fixtures/tls/${name}.pem`, import.meta.url), "utf8");
const vendor = { id: "acme", name: "Acme", baseURL: "http://vendor.example" };

describe("Proxies", () => {
    const before = { ...process.env };
    let proxy: ProxyServer;
    let server: http.Server;
    let port: number;

    beforeEach(async () => {
        for (const name of NAMES) delete process.env[name];
        for (const name of NAMES) delete process.env[name.toUpperCase()];
        proxy = await startProxy();
        server = http.createServer((_request, response) => response.end("Hello"));
        server.listen(0, "127.0.0.1");
        await once(server, "listening");
        port = (server.address() as AddressInfo).port;
    });
    afterEach(async () => {
        restoreEnvironment(before);
        server.closeAllConnections();
        server.close();
        await proxy.close();
    });

    const get = async (url: string) => (await createNodeHttpFetch()(url)).text();
    const failure = async (url: string) => {
        const host = new URL(url).host;
        const error = await get(url).then(
            () => undefined,
            (failed: unknown) => failureOf(failed, { vendor, host }, () => undefined)
        );
        if (error === undefined) throw new Error("It did not fail");
        return error;
    };

    for (const name of ["http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"]) {
        it(`Requests take the proxy that ${name} names`, async () => {
            process.env[name] = proxy.url;
            expect(await get(`http://vendor.example:${port}/a`)).to.equal("Hello");
            expect(proxy.asked).to.deep.equal([`GET http://vendor.example:${port}/a`]);
        });
    }

    for (const name of ["no_proxy", "NO_PROXY"]) {
        it(`Hosts that ${name} names are reached without a proxy`, async () => {
            process.env.HTTP_PROXY = proxy.url;
            process.env[name] = "example.org,127.0.0.1";
            expect(await get(`http://127.0.0.1:${port}/`)).to.equal("Hello");
            expect(proxy.asked).to.deep.equal([]);
        });
    }

    for (const name of ["https_proxy", "HTTPS_PROXY"]) {
        it(`HTTPS takes a tunnel through the proxy that ${name} names, and certificates are checked`, async () => {
            const secure = https.createServer({ key: pem("key"), cert: pem("certificate") });
            secure.listen(0, "127.0.0.1");
            await once(secure, "listening");
            try {
                process.env[name] = proxy.url;
                const host = `vendor.example:${(secure.address() as AddressInfo).port}`;
                const error = await failure(`https://${host}/`);
                expect(proxy.asked).to.deep.equal([`CONNECT ${host}`]);
                expect(error).to.include({ code: "network", retryable: false });
                expect(error.message).to.equal(
                    `The certificate of ${host} through the proxy ${proxy.url} is not trusted (DEPTH_ZERO_SELF_SIGNED_CERT).`
                );
            } finally {
                secure.close();
            }
        });
    }

    it("The error of a connection names the proxy, without its password", async () => {
        const { url } = proxy;
        await proxy.close();
        process.env.HTTPS_PROXY = url.replace("//", "//user:secret@");
        const error = await failure("https://vendor.example/");
        expect(error).to.include({ code: "network", retryable: true });
        expect(error.message).to.equal(
            `The connection to vendor.example through the proxy ${url} failed (ECONNREFUSED).`
        );
        expect(JSON.stringify(error)).to.contain("NO_PROXY").and.not.contain("secret");
    });

    for (const protocol of ["http", "https"]) {
        it(`A proxy that wants a password for ${protocol} is reported as such and not retried`, async () => {
            await proxy.close();
            proxy = await startProxy("user:secret");
            process.env.ALL_PROXY = proxy.url;
            const error = await failure(`${protocol}://vendor.example:${port}/`);
            expect(error).to.include({ code: "network", retryable: false });
            expect(error.message).to.contain(`through the proxy ${proxy.url} failed (407)`);
            expect(JSON.stringify(error)).to.contain("USER:PASSWORD");
        });
    }

    it("A proxy gets the user name and the password of its URL", async () => {
        await proxy.close();
        proxy = await startProxy("user:50% off");
        process.env.HTTP_PROXY = proxy.url.replace("//", "//user:50%%20off@");
        expect(await get(`http://vendor.example:${port}/`)).to.equal("Hello");
    });

    it("A proxy of a kind that is not supported is named", async () => {
        process.env.ALL_PROXY = "socks5://127.0.0.1:1080";
        const error = await failure("http://vendor.example/");
        expect(error.message).to.contain("socks5");
    });

    it("Pages are fetched through the proxy, and names with a private address are refused", async () => {
        process.env.HTTP_PROXY = proxy.url;
        const options = {
            isPublicAddress: (address: string) => address !== "127.0.0.1",
            signal: new AbortController().signal,
        };
        const url = new URL(`http://page.example:${port}/`);
        const unknown = async () => Promise.reject(new Error("ENOTFOUND"));
        const page = await requestPage(url, { ...options, resolveHost: unknown });
        page.resume();
        expect(page.statusCode).to.equal(200);
        expect(proxy.asked).to.deep.equal([`GET ${url.href}`]);
        const inside = async () => [{ address: "127.0.0.1", family: 4 }];
        const refused = await requestPage(url, { ...options, resolveHost: inside }).catch(
            (error: Error) => error
        );
        expect(refused).to.be.instanceOf(Error);
        expect(proxy.asked).to.have.length(1);
    });
});
