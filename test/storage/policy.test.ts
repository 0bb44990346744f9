import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect } from "chai";
import fc from "fast-check";
import { judge, type RunGrants, whyAlwaysAsked } from "../../src/core/approval/policy.js";
import type { ApprovalRequest } from "../../src/core/approval/approver.js";
import { containmentIn, policyIn, readConfig } from "../../src/storage/config.js";
import { expectError } from "./expect-error.js";

const MODES = ["external", "off", "auto", "required"] as const;
const NAMES = ["anthropic", "openai", "router"] as const;

const names = fc.option(fc.subarray([...NAMES]), { nil: undefined });
const rules = fc.record({
    containment: fc.option(fc.constantFrom("auto", "required"), { nil: undefined }),
    automatic: fc.option(fc.constant(false), { nil: undefined }),
    providers: names,
    plugins: names,
});
const mode = fc.constantFrom(...MODES);
const settings = fc.record({
    containment: fc.oneof(fc.constant(undefined), mode, fc.record({ mode })),
    // Nothing in a user's file is taken for the policy.
    policy: fc.option(fc.record({ automatic: fc.boolean() }), { nil: undefined }),
});
const grants = fc.record({
    editsAutoAccept: fc.boolean(),
    shellAutoApprove: fc.boolean(),
    allowedCommands: fc.subarray([{ command: "ls", cwd: "" }]),
    allowedKeys: fc.subarray(["host:example.org"]),
});
const requests: readonly ApprovalRequest[] = [
    { kind: "write", callId: "1", changeSet: { changes: [] }, diffs: [] },
    { kind: "shell", callId: "1", command: "ls", cwd: "/p", consequences: [] },
    { kind: "shell", callId: "1", command: "make", cwd: "/p", consequences: ["deletes"] },
];

describe("The policy of a machine", () => {
    let folder: string;
    let file: string;

    beforeEach(() => {
        folder = mkdtempSync(path.join(tmpdir(), "north-policy-"));
        file = path.join(folder, "policy.json");
    });
    afterEach(() => rmSync(folder, { recursive: true }));

    const read = (policy: unknown, config: object = {}) => {
        writeFileSync(file, typeof policy === "string" ? policy : JSON.stringify(policy));
        writeFileSync(path.join(folder, "config.json"), JSON.stringify(config));
        return readConfig(folder, file);
    };

    it("A policy never lets settings, flags or grants allow more than without it, or than its rules", async () => {
        const given = fc.asyncProperty(
            ...[rules, settings, mode, grants, fc.boolean(), fc.boolean(), fc.boolean()],
            async (policyRules, config, flag, snapshot, acceptEdits, approveShell, canAsk) => {
                const followed = await read(policyRules, config);
                const free = await readConfig(folder, path.join(folder, "absent.json"));
                const policy = policyIn(followed);
                const rank = (value: (typeof MODES)[number]) => MODES.indexOf(value);
                const least = rank(policyRules.containment ?? "external");
                expect(rank(containmentIn(followed).mode))
                    .to.be.at.least(rank(containmentIn(free).mode))
                    .and.at.least(least);
                expect(policyIn(free)).to.equal(undefined);
                if (rank(flag) < least) expect(() => policy?.requireMode(flag)).to.throw(file);
                else policy?.requireMode(flag);

                const run: RunGrants = { acceptEdits, approveShell };
                const isFree = policyRules.automatic !== false;
                expect(policy?.isAutomaticAllowed).to.equal(isFree);
                const tight = { ...run, noAutomatic: isFree ? undefined : "not allowed" };
                for (const request of requests) {
                    const without = judge(request, snapshot, run, "", canAsk);
                    const verdict = judge(request, snapshot, tight, "", canAsk);
                    if (verdict === "allow") expect(without).to.equal("allow");
                    const isListed = snapshot.allowedCommands.length > 0;
                    const isNamed =
                        request.kind === "shell" && request.command === "ls" && isListed;
                    if (!isFree && !isNamed) expect(verdict).to.equal("ask");
                }

                for (const kind of ["providers", "plugins"] as const) {
                    const allowed = NAMES.filter((name) => policy?.allows(kind, name));
                    expect(allowed).to.have.members(policyRules[kind] ?? [...NAMES]);
                }
            }
        );
        await fc.assert(given, { numRuns: 200 });
    });

    it("A policy without automatic approval removes automatic answers from reviews", () => {
        const run = { acceptEdits: true, approveShell: true, noAutomatic: "off, by a policy" };
        expect(whyAlwaysAsked({ changes: [] }, run)).to.equal("Always asks: off, by a policy.");
    });

    it("A policy that cannot be followed is an error that names its file", async () => {
        const broken = [
            ["{", "JSON"],
            ["", "empty"],
            ["[]", "not a JSON object"],
            [{ contaiment: "required" }, "contaiment"],
            [{ containment: "off" }, "containment"],
            [{ automatic: true }, "automatic"],
            [{ deny: ["Bash(git push *"] }, "deny"],
            [{ deny: "Bash" }, "deny"],
            [{ providers: [""] }, "providers"],
        ] as const;
        for (const [policy, reason] of broken) {
            const error = await expectError(() => read(policy), "config-corrupt");
            expect(error.message, JSON.stringify(policy)).to.contain(file).and.contain(reason);
        }
        rmSync(file);
        mkdirSync(file);
        const { message } = await expectError(() => readConfig(folder, file), "config-corrupt");
        expect(message).to.contain(file);
    });
});
