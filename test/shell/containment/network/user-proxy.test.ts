import { once } from "node:events";
import { readFileSync } from "node:fs";
import net, { type AddressInfo } from "node:net";
import tls from "node:tls";

import { expect } from "chai";

import { TrafficProxy } from "../../../../src/shell/containment/network/traffic-proxy.js";
import { type ProxyServer, startProxy } from "../../../helpers/proxy-server.js";
import { ContainedProject, describeContained } from "../contained.js";
import { CERTIFICATE, LoopbackHosts } from "./loopback-hosts.js";

const VARIABLES = ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY"];

/** Changes this process's environment, as a user's shell would have. */
function setEnvironment(variables: Readonly<Record<string, string>>): void {
    for (const name of VARIABLES.flatMap((each) => [each, each.toLowerCase()])) {
        delete process.env[name];
    }
    Object.assign(process.env, variables);
}

describeContained("contained commands behind a proxy of the user's own", () => {
    let hosts: LoopbackHosts;
    let userProxy: ProxyServer;
    let ports: { plain: number; tls: number };

    beforeEach(async () => {
        hosts = new LoopbackHosts();
        await hosts.serve((request, response) => response.end(`plain ${request.url}`));
        await hosts.serveTls((request, response) => void response.end(`tls ${request.url}`));
        const { portOf = () => 0 } = hosts.reach;
        ports = { plain: portOf(80), tls: portOf(443) };
        userProxy = await startProxy("me:%hunter2");
        const url = userProxy.url.replace("//", "//me:%hunter2@");
        setEnvironment({ HTTP_PROXY: url, HTTPS_PROXY: url, NO_PROXY: "direct.example" });
    });
    afterEach(async () => {
        setEnvironment({});
        await userProxy.close();
        await hosts.close();
    });

    /** Runs a command that may reach every host but `denied.example`. */
    async function run(command: string, reach = hosts.reach) {
        const project = await ContainedProject.make({ "a.txt": "a\n" }, { reach });
        const permit = async (name: string) =>
            name.startsWith("denied.example") ? { refused: "not allowed" } : {};
        const variables = new Map([
            ["PATH", process.env.PATH ?? ""],
            ["HTTPS_PROXY", process.env.HTTPS_PROXY ?? ""],
        ]);
        const state = { folder: project.root, variables, definitions: "" };
        return project.run(command, { state, hosts: { permit } });
    }

    it("A tunnel and a plain request go through it, with credentials that the command cannot see", async () => {
        const [https, http] = [`allowed.example:${ports.tls}`, `allowed.example:${ports.plain}`];
        const { outcome, traffic } = await run(
            `curl -sSk https://${https}/one; curl -sS http://${http}/two; env | grep -c hunter2`
        );
        expect(outcome.stdout, outcome.stderr).to.equal("tls /oneplain /two0\n");
        expect(userProxy.asked).to.deep.equal([`CONNECT ${https}`, `GET http://${http}/two`]);
        expect(hosts.arrived).to.deep.equal([`GET ${https} /one`, `GET ${http} /two`]);
        expect(traffic?.map(({ host, requests }) => [host, requests])).to.deep.equal([
            [https, 1],
            [http, 1],
        ]);
    });

    it("Hosts that NO_PROXY names are reached directly", async () => {
        const { outcome } = await run("curl -sSk https://direct.example/x http://direct.example/y");
        expect(outcome.stdout, outcome.stderr).to.equal("tls /xplain /y");
        expect(userProxy.asked).to.deep.equal([]);
    });

    it("A denied host is not requested from the proxy, nor one with a private address", async () => {
        hosts.addresses.set("inside.example", "10.0.0.7");
        const { traffic } = await run(
            "curl -sk https://denied.example/ https://inside.example/ http://inside.example/"
        );
        expect(traffic?.map(({ host, refused }) => `${host}: ${refused}`)).to.deep.equal([
            "denied.example: not allowed",
            "inside.example: 10.0.0.7 is not on the public internet",
        ]);
        expect(userProxy.asked).to.deep.equal([]);
    });

    it("A name that only the proxy can look up is reached through it", async () => {
        const resolveHost = () => Promise.reject(new Error("ENOTFOUND"));
        const host = `allowed.example:${ports.tls}`;
        const { outcome } = await run(`curl -sSk https://${host}/`, {
            ...hosts.reach,
            resolveHost,
        });
        expect(outcome.stdout, outcome.stderr).to.equal("tls /");
    });

    it("What the proxy refuses is said with its name, and not as an answer of the host", async () => {
        process.env.HTTPS_PROXY = process.env.HTTP_PROXY = userProxy.url;
        const wanted = `the proxy ${userProxy.url} wants another user name or password`;
        const host = `allowed.example:${ports.plain}`;
        const { outcome, traffic } = await run(
            `curl -s -o /dev/null -w '%{http_code} ' http://${host}/; curl -sS https://secure.example/`
        );
        expect(outcome.stdout).to.equal("403 ");
        expect(traffic?.map(({ refused }) => refused)).to.deep.equal([wanted, wanted]);

        setEnvironment({ ALL_PROXY: "socks5://127.0.0.1:1080" });
        const other = await run("curl -sS https://secure.example/");
        expect(other.traffic?.[0]?.refused).to.contain("is not one for HTTP");
    });

    it("A tunnel through it still carries TLS for the allowed host only", async () => {
        const proxy = new TrafficProxy({ permit: async () => ({}), reach: hosts.reach });
        proxy.server.listen(0, "127.0.0.1");
        await once(proxy.server, "listening");
        const socket = net.connect((proxy.server.address() as AddressInfo).port, "127.0.0.1");
        const authority = `allowed.example:${ports.tls}`;
        socket.write(`CONNECT ${authority} HTTP/1.1\r\nHost: ${authority}\r\n\r\n`);
        await once(socket, "data");
        const ca = readFileSync(CERTIFICATE);
        tls.connect({ socket, servername: "other.example", ca }).on("error", () => {});
        await once(socket, "close");
        expect(proxy.traffic()[0]?.refused).to.equal("its TLS hello names another host");
        expect(hosts.arrived).to.deep.equal([]);
        proxy.close();
    });
});
