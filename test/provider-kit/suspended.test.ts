import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import http from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { setTimeout as wait } from "node:timers/promises";
import { expect } from "chai";
import { bundledProgram } from "../helpers/bundled-program.js";
import { eventually } from "../helpers/north-program.js";

const READER = new URL("./reply-reader.ts", import.meta.url);

const stateOf = (pid = 0) =>
    execFileSync("ps", ["-o", "state=", "-p", `${pid}`], { encoding: "utf8" }).trim();

describe("A process that was suspended", () => {
    let server: http.Server;
    let reader: ChildProcess | undefined;
    afterEach(() => {
        reader?.kill("SIGKILL");
        server.closeAllConnections();
        server.close();
    });

    it("The rest of a reply that arrived during a suspension is read and not asked for again", async () => {
        const arriving = new Promise<http.ServerResponse>((resolve) => {
            server = http.createServer((_request, response) => resolve(response));
        });
        server.listen(0, "127.0.0.1");
        await once(server, "listening");
        const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
        reader = spawn(process.execPath, [bundledProgram(READER), url], {
            stdio: ["ignore", "pipe", "pipe"],
        });
        const said = Promise.all([text(reader.stdout!), text(reader.stderr!)]);
        const response = await arriving;
        response.write("begun");
        await eventually(() => stateOf(reader?.pid).startsWith("T"), "the reader's stop");
        response.end(", complete");
        // Longer than the reader may hear nothing.
        await wait(1_500);
        reader.kill("SIGCONT");
        expect(await said).to.deep.equal(["begun, complete", ""]);
    });
});
