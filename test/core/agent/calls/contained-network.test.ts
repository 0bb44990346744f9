import { expect } from "chai";

import { shellRun } from "../../../../src/builtin/tools/shell-run.js";
import type { HostTraffic } from "../../../../src/base/host-traffic.js";
import { networkIn, readCommand } from "../../../../src/code/commands/read-command.js";
import type { ApprovalRequest, Decision } from "../../../../src/core/approval/approver.js";
import {
    type ContainedResult,
    type ContainedRuns,
    NO_OUTPUTS,
} from "../../../../src/core/approval/contained-runs.js";
import type { Shell } from "../../../../src/plugin/index.js";
import { ScriptedModel } from "../../../helpers/scripted-model.js";
import { drain, type HarnessOptions, turnHarness } from "../../../helpers/turn.js";

interface Given extends HarnessOptions {
    readonly input?: object;
    /** Hosts that the command wants, one after the other. */
    readonly wants?: readonly string[];
    readonly answer?: Decision;
    readonly contained?: never;
    readonly reachesHosts?: boolean;
    /** What a run without hosts finds. */
    readonly lacks?: Partial<ContainedResult>;
    readonly isPrint?: boolean;
}

/** A turn in which the model runs one command that may want hosts. */
async function runCommand({ input = {}, wants = [], lacks = {}, ...given }: Given) {
    const { answer = { kind: "approve" }, reachesHosts = true, isPrint, ...options } = given;
    const command = { command: "npm install", ...input };
    const model = new ScriptedModel([
        [
            { type: "tool-call", callId: "c1", name: "shell_run", input: command },
            { type: "stop", reason: "tool-calls" },
        ],
        [
            { type: "text", text: "done" },
            { type: "stop", reason: "end" },
        ],
    ]);
    const asked: ApprovalRequest[] = [];
    const ran = { alone: 0, withHosts: 0, real: 0 };
    const outcome = { stdout: "out\n", stderr: "", exitCode: 0, durationMs: 5, truncated: false };
    const runs: ContainedRuns = {
        mode: "auto",
        reachesHosts,
        unavailable: async () => undefined,
        notice: async () => undefined,
        run: async (_command, _folder, { hosts }) => {
            const own = { outcome, effects: [], outputs: NO_OUTPUTS, notes: [], keep: () => [] };
            if (!hosts) {
                ran.alone += 1;
                return { ...own, ...lacks };
            }
            ran.withHosts += 1;
            const traffic: HostTraffic[] = [];
            for (const host of wants) {
                const { refused } = await hosts.permit(host);
                traffic.push(
                    refused === undefined
                        ? { host, requests: 2, received: 38_000_000, sent: 6_000 }
                        : { host, requests: 0, received: 0, sent: 0, refused }
                );
            }
            return { ...own, traffic };
        },
    };
    const shell = {
        cwd: "/project",
        resolve: async (cwd?: string) => cwd ?? "/project",
        run: async () => {
            ran.real += 1;
            return outcome;
        },
    } as Shell;
    const { turn, records, granted } = turnHarness(model, [shellRun], {
        shell,
        contained: runs,
        forecast: async (text) => {
            const { facts } = await readCommand(text);
            const forecast = { consequences: [], network: networkIn(facts) };
            return { ...forecast, backUp: async () => async () => undefined };
        },
        ...(isPrint
            ? {}
            : {
                  approver: {
                      decide: async (request: ApprovalRequest) => {
                          asked.push(request);
                          return answer;
                      },
                  },
              }),
        ...options,
    });
    const { events } = await drain(turn);
    const entries = records.flatMap((each) => (each.type === "entry_added" ? each.entry : []));
    const entry = entries.find((each) => each.kind === "tool_result");
    const result = entry?.kind === "tool_result" ? JSON.parse(entry.content) : undefined;
    const summary = entry && "summary" in entry ? entry.summary : "";
    const reviews = entries.flatMap((each) => (each.kind === "review" ? each : []));
    const keys = asked.map((each) => (each.kind === "ask" ? each.question.key : each.kind));
    return { asked, keys, ran, result, summary, reviews, granted, events };
}

const REGISTRY = "registry.example";

describe("the network of a contained command", () => {
    it("A command that is known to use hosts runs contained, and North asks about each host", async () => {
        const { asked, keys, ran, result, summary } = await runCommand({
            wants: [REGISTRY, "files.example"],
        });
        expect(keys).to.deep.equal([`host:${REGISTRY}`, "host:files.example"]);
        expect(asked[0]).to.have.nested.property(
            "question.sentence",
            `Let the contained command reach ${REGISTRY}?`
        );
        expect(asked[0]).to.have.nested.property("question.details", "npm install");
        expect(ran).to.deep.equal({ alone: 0, withHosts: 1, real: 0 });
        expect(result.data.traffic[0]).to.include({ host: REGISTRY, received: 38_000_000 });
        expect(summary).to.match(
            /^contained · registry\.example 2 requests, 38 MB in, 6 KB out · files\.example .* · exit 0 in /
        );
    });

    it("network: true gives any command hosts, and never means a real run", async () => {
        const input = { command: "make", network: true };
        const { keys, ran } = await runCommand({ input, wants: [REGISTRY] });
        expect(keys).to.deep.equal([`host:${REGISTRY}`]);
        expect(ran).to.deep.equal({ alone: 0, withHosts: 1, real: 0 });
    });

    it("Any other command runs without hosts", async () => {
        const { keys, ran } = await runCommand({ input: { command: "npm test" } });
        expect(keys).to.deep.equal([]);
        expect(ran).to.deep.equal({ alone: 1, withHosts: 0, real: 0 });
    });

    it("A command that turns out to lack the network runs again with hosts, also in print mode", async () => {
        const lacks = { needs: "It needs the network: registry.example", lacksNetwork: true };
        const given = { input: { command: "make" }, wants: [REGISTRY], lacks };
        const { keys, ran } = await runCommand(given);
        expect(keys).to.deep.equal([`host:${REGISTRY}`]);
        expect(ran).to.deep.equal({ alone: 1, withHosts: 1, real: 0 });

        const printed = await runCommand({ ...given, isPrint: true });
        expect(printed.ran).to.deep.equal({ alone: 1, withHosts: 1, real: 0 });
        const { refused } = printed.result.data.traffic[0];
        expect(refused).to.equal(`not allowed; --allow-host ${REGISTRY} allows it`);
    });

    it("A host allowed always is remembered for the project and not asked about again", async () => {
        const answer = { kind: "approve", remember: "always" } as const;
        const { granted } = await runCommand({ wants: [REGISTRY], answer });
        expect(granted.allowedKeys).to.deep.equal([`host:${REGISTRY}`]);
        const granting = { allowedKeys: [`host:${REGISTRY}`] };
        const { keys, reviews } = await runCommand({ wants: [REGISTRY], granting });
        expect(keys).to.deep.equal([]);
        expect(reviews).to.deep.include.members([
            {
                ...reviews[0],
                what: `Let the contained command reach ${REGISTRY}?`,
                status: "approved",
                decidedBy: "policy",
            },
        ]);
    });

    it("A denied host is refused, and the result says so instead of asking for a real run", async () => {
        const answer = { kind: "deny" } as const;
        const { keys, ran, result, summary } = await runCommand({ wants: [REGISTRY], answer });
        expect(keys).to.deep.equal([`host:${REGISTRY}`]);
        expect(ran.real).to.equal(0);
        expect(result.data.traffic[0].refused).to.equal("the user did not allow it");
        expect(summary).to.contain(`${REGISTRY} refused: the user did not allow it`);
    });

    it("Print mode refuses hosts and names the flag that allows them", async () => {
        const given = { wants: [REGISTRY], isPrint: true };
        const { result, events } = await runCommand(given);
        const { refused } = result.data.traffic[0];
        expect(refused).to.equal(`not allowed; --allow-host ${REGISTRY} allows it`);
        const settled = events.find((each) => each.type === "review-settled");
        expect(settled).to.include({ subject: "ask", status: "denied", key: `host:${REGISTRY}` });

        const runGrants = { acceptEdits: false, approveShell: false };
        const allowed = await runCommand({
            ...given,
            runGrants: { ...runGrants, allowedKeys: [`host:${REGISTRY}`] },
        });
        expect(allowed.result.data.traffic[0]).not.to.have.property("refused");
    });

    it("Where no hosts can be reached, the need is asked about as before", async () => {
        const { keys, ran } = await runCommand({ reachesHosts: false, answer: { kind: "deny" } });
        expect(keys).to.deep.equal(["shell"]);
        expect(ran.real).to.equal(0);
    });
});
