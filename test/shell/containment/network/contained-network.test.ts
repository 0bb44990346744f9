import { setTimeout as sleep } from "node:timers/promises";

import { expect } from "chai";

import type { ContainedRequest } from "../../../../src/shell/containment/containment.js";
import { withLongerLimits } from "../../shells.js";
import { ContainedProject, describeContained } from "../contained.js";
import { LoopbackHosts } from "./loopback-hosts.js";

describeContained("contained commands with hosts", () => {
    let hosts: LoopbackHosts;
    let asked: string[];

    beforeEach(async () => {
        asked = [];
        hosts = new LoopbackHosts();
        await hosts.serve((request, response) => response.end(`plain ${request.url}\n`));
        await hosts.serveTls((_, response) => response.end("tls\n"));
    });
    afterEach(() => hosts.close());

    /** Runs a command that may reach `allowed.example`. */
    async function run(command: string, request: Partial<ContainedRequest> = {}) {
        const project = await ContainedProject.make({ "a.txt": "a\n" }, { reach: hosts.reach });
        return project.run(command, {
            hosts: {
                permit: async (name) => {
                    asked.push(name);
                    return name === "allowed.example" ? {} : { refused: "not allowed" };
                },
            },
            ...request,
        });
    }

    it("downloads from an allowed host and counts what it exchanged", async () => {
        const { outcome, traffic, refusal } = await run("curl -sS http://allowed.example/file");
        expect(outcome.stdout, outcome.stderr).to.equal("plain /file\n");
        expect(traffic).to.have.length(1);
        expect(traffic?.[0]).to.deep.include({ host: "allowed.example", requests: 1 });
        expect(traffic?.[0]?.received).to.be.greaterThan(12);
        expect(refusal).to.equal(undefined);
        expect(asked).to.deep.equal(["allowed.example"]);
    });

    it("tells a command that a host was refused, and says so instead of a need", async () => {
        const { outcome, traffic, refusal } = await run("curl -sSf http://denied.example/file");
        expect(outcome.exitCode).to.equal(22);
        expect(outcome.stderr).to.include("403");
        expect(traffic?.[0]).to.deep.include({ host: "denied.example", refused: "not allowed" });
        expect(refusal).to.equal(undefined);
        expect(hosts.lookedUp).to.deep.equal([]);
    });

    it("gives no proxy and no way out to a command without hosts", async () => {
        const { outcome, traffic } = await run(
            "env | grep -ic proxy; curl -s http://127.0.0.1:3128/; echo $?",
            {
                hosts: undefined,
            }
        );
        expect(outcome.stdout).to.equal("0\n7\n");
        expect(traffic).to.equal(undefined);
    });

    it("Nothing is reached past the proxy: no address, no name server, no loopback of the machine", async () => {
        const port = (await import("node:net")).createServer((socket) => socket.end("inside\n"));
        await new Promise<void>((resolve) => void port.listen(0, "127.0.0.1", resolve));
        const address = port.address();
        const number = typeof address === "object" ? address?.port : 0;
        const { outcome } = await run(
            `for to in 127.0.0.1/${number} 1.1.1.1/53 169.254.169.254/80; do (exec 3<>/dev/tcp/$to) 2>/dev/null && echo reached $to; done; getent hosts allowed.example; echo end`
        );
        port.close();
        expect(outcome.stdout).to.equal("end\n");
    });

    it("shows a command no process and no socket file of the proxy", async () => {
        const { outcome } = await run(
            "ls /proc | grep -c '^[0-9]'; find / -xdev -type s 2>/dev/null; cat /proc/net/unix | grep -c /"
        );
        // The supervisor, the shell, and the programs of the pipe.
        expect(Number(outcome.stdout.split("\n")[0])).to.be.lessThan(8);
        expect(outcome.stdout.split("\n").slice(1)).to.deep.equal(["0", ""]);
    });

    it("cannot use the proxy of another run that is allowed more", async () => {
        const [first, second] = await Promise.all([
            run("curl -s http://allowed.example/mine; sleep 1"),
            run("sleep 0.5; curl -s http://allowed.example/yours", {
                hosts: { permit: async () => ({ refused: "not allowed" }) },
            }),
        ]);
        expect(first.outcome.stdout).to.equal("plain /mine\n");
        expect(second.outcome.stdout).to.match(/^North: not allowed/);
        expect(hosts.arrived).to.deep.equal(["GET allowed.example /mine"]);
    });

    it("does not count the wait for the user against the time limit", async () => {
        const { outcome } = await withLongerLimits(
            (timeoutMs) => {
                const permit = () => sleep(timeoutMs + 500, {});
                return run("curl -sS http://allowed.example/late", {
                    timeoutMs,
                    hosts: { permit },
                });
            },
            (each) => each.outcome.timedOut === undefined
        );
        expect(outcome.timedOut, outcome.stderr).to.equal(undefined);
        expect(outcome.stdout).to.equal("plain /late\n");
    });

    it("keeps waiting for the user while something in the background looks up names", async () => {
        const look = "while :; do getent hosts tracker.example; sleep 0.3; done";
        const { outcome, refusal } = await run(`(${look}) & curl -sS http://allowed.example/late`, {
            hosts: { permit: () => sleep(9_000, {}) },
        });
        expect(refusal).to.equal(undefined);
        expect(outcome.stdout).to.equal("plain /late\n");
    });

    it("stops a command that exceeds its time limit while it downloads", async () => {
        await hosts.serve(() => {});
        const { outcome, effects } = await run("curl -sS http://allowed.example/never", {
            timeoutMs: 1_000,
        });
        expect(outcome.timedOut).to.equal(true);
        expect(effects).to.deep.equal([]);
    });
});
