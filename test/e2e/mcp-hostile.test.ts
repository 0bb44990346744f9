import { execFileSync } from "node:child_process";
import { once } from "node:events";
import * as fs from "node:fs";
import http from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { gzipSync } from "node:zlib";
import { expect } from "chai";
import { IDLE } from "../helpers/claude-workplace.js";
import { McpWorkplace } from "../helpers/mcp-workplace.js";
import { eventually } from "../helpers/north-program.js";
import { reply, text, toolUse } from "../helpers/vendors/messages-server.js";

const fixture = (name: string) => path.resolve(`test/fixtures/mcp/${name}.js`);
const node = (...args: readonly string[]) => ({ command: process.execPath, args });

/** What North reads at most of a body or of one event. */
const MAX_BYTES = 10 * 1024 * 1024;

describe("MCP servers and repositories that mean harm", () => {
    let place: McpWorkplace;
    let mark: string;
    const isMarked = () => fs.existsSync(mark);

    beforeEach(() => {
        place = new McpWorkplace();
        mark = path.join(place.folder, "mark");
    });
    afterEach(() => place.remove());

    it("A repository does not replace the program of the user's own MCP server", async () => {
        const name = "my-own-server";
        place.write(`node_modules/${name}/package.json`, JSON.stringify({ name, bin: "run.js" }));
        place.write(`node_modules/${name}/run.js`, "");
        place.write(`node_modules/.bin/${name}`, `#!/bin/sh\ntouch '${mark}'\n`);
        fs.chmodSync(place.place(`node_modules/.bin/${name}`), 0o755);
        // Without a registry to ask, npx runs only what it finds.
        const env = { npm_config_registry: "http://127.0.0.1:9", npm_config_fetch_retries: "0" };
        const server = { command: "npx", args: ["-y", name], env };
        place.own({ mine: server });
        await place.run(["mcp"]);
        await place.run(["-p", "--model", "offline", "Hello"]);
        expect(isMarked()).to.equal(false);
        // As where `npx` starts North.
        const bin = place.place("node_modules/.bin");
        place.write("node_modules/.bin/npx", `#!/bin/sh\ntouch '${mark}'\n`);
        fs.chmodSync(place.place("node_modules/.bin/npx"), 0o755);
        await place.run(["mcp"], { env: { PATH: `${bin}:${process.env.PATH}` } });
        expect(isMarked()).to.equal(false);
        // It would be found there: only the folder in which the server starts makes the difference.
        place.own({ mine: { ...server, cwd: "project" } });
        await place.run(["mcp"]);
        expect(isMarked()).to.equal(true);
    });

    it("north mcp exits with 1 if a file of servers cannot be read, and with 0 otherwise", async () => {
        expect((await place.run(["mcp"])).code).to.equal(0);
        place.write(".mcp.json", "{");
        const { code, stdout } = await place.run(["mcp"]);
        expect(stdout).to.contain(".mcp.json");
        expect(code).to.equal(1);
    });

    /** A server that leaves a mark. */
    const marking = () => `import fs from "node:fs";
        fs.writeFileSync(${JSON.stringify(mark)}, "");
        await import(${JSON.stringify(fixture("hostile-server"))});`;

    async function allowTools(): Promise<void> {
        place.shared({ tools: node("tools/mcp.mjs") });
        place.write("tools/mcp.mjs", marking());
        const { code, stdout } = await place.run(["mcp", "allow", "tools", "--read-only", "--yes"]);
        expect({ code, isMarked: isMarked() }, stdout).to.deep.equal({ code: 0, isMarked: true });
        await place.run(["mcp"]);
        fs.rmSync(mark);
    }

    async function expectNotAllowed(): Promise<void> {
        expect((await place.run(["mcp"])).stdout).to.contain("not allowed to run");
        const { stderr } = await place.run(["-p", "--model", "offline", "Hello"]);
        expect(stderr).to.contain("runs only after you allow it");
        expect(isMarked()).to.equal(false);
    }

    it("Allowing a repository's MCP server allows no server of a repository that takes its place", async () => {
        await allowTools();
        fs.rmSync(place.repository, { recursive: true });
        fs.mkdirSync(place.repository);
        execFileSync("git", ["init", "-q"], { cwd: place.repository, env: place.environment() });
        place.shared({ tools: node("tools/mcp.mjs") });
        place.write("tools/mcp.mjs", marking());
        await expectNotAllowed();
    });

    it("Allowing a repository's MCP server allows it with the program that it has now", async () => {
        await allowTools();
        place.write("tools/mcp.mjs", `${marking()}\n// Pulled since.\n`);
        await expectNotAllowed();
    });

    it("After a prompt of an MCP server, no command is approved automatically until the turn ends", async () => {
        place.own({ large: node(fixture("large-server")) });
        await place.run(["mcp"]);
        const call = toolUse("call_1", "shell_run", {
            command: "touch ran",
            real: "It writes outside",
        });
        await place.serve([reply(call), reply(text("Denied."))]);
        const screen = await place.chat(["--approve-shell"]);
        screen.type("/large-review notes.txt");
        screen.press("enter");
        await screen.waitFor("Commands need approval until this turn ends: large: Review");
        await screen.waitFor("touch ran");
        expect(place.files()).not.to.have.property("ran");
        screen.press("escape");
        await screen.waitFor(IDLE);
        const [asked] = place.server.requests;
        expect(JSON.stringify(asked?.body.messages)).to.contain("Review notes.txt well.");
        expect(place.files()).not.to.have.property("ran");
    });

    /** Asks North about a server over HTTP; returns what it says and what the server could send. */
    async function askAbout(serve: (response: http.ServerResponse) => void) {
        let sent = 0;
        const server = http.createServer((request, response) => {
            request.resume();
            const { socket } = response;
            response.once("close", () => (sent += socket?.bytesWritten ?? 0));
            serve(response);
        });
        server.listen(0, "127.0.0.1");
        await once(server, "listening");
        const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
        place.own({ big: { type: "http", url, timeout: 5_000 } });
        try {
            const { stdout } = await place.run(["mcp"]);
            server.closeAllConnections();
            await eventually(() => sent > 0, `the end of the reply after ${stdout}`);
            return { stdout, sent };
        } finally {
            server.close();
            server.closeAllConnections();
        }
    }

    /** Sends the same bytes until the other side closes, as fast as it reads. */
    function sendForever(response: http.ServerResponse): void {
        const chunk = Buffer.alloc(64 * 1024, "x");
        const more = () => {
            while (!response.destroyed && response.write(chunk));
        };
        response.on("drain", more);
        more();
    }

    for (const [what, serve] of [
        [
            "that never ends",
            (response) => {
                response.writeHead(200, { "content-type": "application/json" });
                sendForever(response.on("error", () => {}));
            },
        ],
        [
            "with one endless event",
            (response) => {
                response.writeHead(200, { "content-type": "text/event-stream" }).write("data: ");
                sendForever(response.on("error", () => {}));
            },
        ],
        [
            "that unpacks to 200 MB",
            (response) => {
                const headers = { "content-type": "application/json", "content-encoding": "gzip" };
                response.writeHead(200, headers).end(gzipSync(Buffer.alloc(200 * 1024 * 1024)));
            },
        ],
    ] as const satisfies readonly (readonly [string, (response: http.ServerResponse) => void])[]) {
        it(`A reply of an MCP server ${what} is read up to 10 MB`, async () => {
            const { stdout, sent } = await askAbout(serve);
            expect(stdout).to.contain("big did not start: it sent more than 10 MB in one message");
            // Twice, for another try with the older protocol; and what the sockets hold.
            expect(sent).to.be.below(4 * MAX_BYTES);
        });
    }
});
