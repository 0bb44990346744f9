import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { expect } from "chai";
import { patient } from "../helpers/patience.js";

const RUNNER = "test/fixtures/mcp/conformance-runner.js";
const CLIENT = "test/fixtures/mcp/conformance-client.js";

const SCENARIOS = [
    "initialize",
    "tools_call",
    "elicitation-sep1034-client-defaults",
    "sse-retry",
    "auth/metadata-default",
    "auth/metadata-var1",
    "auth/metadata-var2",
    "auth/metadata-var3",
    "auth/basic-cimd",
    "auth/scope-from-www-authenticate",
    "auth/scope-from-scopes-supported",
    "auth/scope-omitted-when-undefined",
    "auth/scope-step-up",
    "auth/scope-retry-limit",
    "auth/token-endpoint-auth-basic",
    "auth/token-endpoint-auth-post",
    "auth/token-endpoint-auth-none",
    "auth/pre-registration",
    "auth/2025-03-26-oauth-endpoint-fallback",
    "auth/resource-mismatch",
    "auth/offline-access-scope",
    "auth/offline-access-not-supported",
];

const EXCLUDED = [
    // Its metadata names another issuer than its address, which RFC 8414 forbids and the SDK refuses.
    "auth/2025-03-26-oauth-metadata-backcompat",
    // Extensions for programs that sign in by themselves; with North a person does.
    "auth/client-credentials-jwt",
    "auth/client-credentials-basic",
    "auth/cross-app-access-complete-flow",
];

/** Checks that may fail. */
const EXCEPTIONS = new Set([
    // Needs a page of North's on the web, which describes it to the server.
    "cimd-client-id-used",
    // Asserts milliseconds, which a loaded machine does not keep.
    "client-sse-retry-timing",
]);

/** The suite that the makers of MCP publish, against the built plugin, on loopback. */
describe("MCP conformance", () => {
    let runner: ChildProcess;
    before(() => {
        runner = fork(RUNNER, { execArgv: [] });
    });
    after(() => runner.kill());

    async function conformance(...commandLine: readonly string[]): Promise<string> {
        const over = new AbortController();
        const end = () => over.abort(new Error("The conformance suite ended."));
        runner.once("exit", end);
        try {
            const printed = once(runner, "message", over);
            runner.send(commandLine);
            const [report] = await printed;
            return report;
        } finally {
            runner.off("exit", end);
        }
    }

    it("Every client scenario of the MCP conformance suite is run or excluded by name", async () => {
        const listed = await conformance("list", "--client");
        const names = [...listed.matchAll(/^ {2}- (\S+)/gm)].map(([, name]) => name);
        expect(names).to.have.members([...SCENARIOS, ...EXCLUDED]);
    });

    for (const scenario of SCENARIOS) {
        it(`North's MCP client passes the conformance scenario ${scenario}`, async () => {
            const command = `"${process.execPath}" ${CLIENT}`;
            const options = ["--scenario", scenario, "--timeout", String(patient(50_000))];
            const report = await conformance("client", "--command", command, ...options);
            const failures = [...report.matchAll(/\[(\S+) *\] (?:FAILURE|WARNING) .*/g)]
                .filter(([, check]) => !EXCEPTIONS.has(check!))
                .map(([line]) => line);
            expect(failures, report).to.deep.equal([]);
            expect(report).to.match(/Passed: [1-9]\d*\/\d+/);
        });
    }
});
