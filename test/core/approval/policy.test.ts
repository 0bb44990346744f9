import { expect } from "chai";
import fc from "fast-check";
import type { ApprovalRequest } from "../../../src/core/approval/approver.js";
import type { GrantSnapshot } from "../../../src/core/approval/grants.js";
import { judge, whyAlwaysAsked } from "../../../src/core/approval/policy.js";

const nothing: GrantSnapshot = {
    editsAutoAccept: false,
    shellAutoApprove: false,
    allowedCommands: [],
    allowedKeys: [],
};
const thisRun = { acceptEdits: false, approveShell: false };

const edit: ApprovalRequest = {
    kind: "write",
    callId: "1",
    changeSet: { changes: [] },
    diffs: [],
};
const command = (text: string, ...consequences: string[]): ApprovalRequest => ({
    kind: "shell",
    callId: "1",
    command: text,
    cwd: "/project",
    consequences,
});
const question: ApprovalRequest = {
    kind: "ask",
    callId: "1",
    question: { sentence: "Fetch from example.org", key: "host:example.org" },
};

describe("Approval policy", () => {
    it("Without grants every request is asked about", () => {
        for (const request of [edit, command("ls"), question]) {
            expect(judge(request, nothing, thisRun, ""), request.kind).to.equal("ask");
        }
    });

    it("Accepting all edits allows no command, and approving all commands allows no edit", () => {
        const edits = { ...nothing, editsAutoAccept: true };
        const commands = { ...nothing, shellAutoApprove: true };
        expect(judge(edit, edits, thisRun, undefined)).to.equal("allow");
        expect(judge(command("ls"), edits, thisRun, "")).to.equal("ask");
        expect(judge(command("ls"), commands, thisRun, "")).to.equal("allow");
        expect(judge(edit, commands, thisRun, undefined)).to.equal("ask");
        expect(judge(question, { ...edits, ...commands }, thisRun, undefined)).to.equal("ask");
    });

    it("Files that run later are asked about, whatever is automatic.", () => {
        const change = (path: string): ApprovalRequest => ({
            ...edit,
            changeSet: {
                changes: [{ path, before: null, beforeHash: null, after: new Uint8Array() }],
            },
        });
        const edits = { ...nothing, editsAutoAccept: true };
        const run = { acceptEdits: true, approveShell: false };
        for (const path of [
            ".vscode/tasks.json",
            ".envrc",
            ".husky/pre-commit",
            "tools/hooks/post-checkout",
            ".mcp.json",
            ".claude/settings.json",
            ".devcontainer/devcontainer.json",
            ".github/workflows/ci.yml",
            ".gitattributes",
            ".gitmodules",
            ".npmrc",
            ".idea/workspace.xml",
            "packages/a/AGENTS.md",
            ".cursor/rules/a.mdc",
        ]) {
            const request = change(path);
            expect(judge(request, edits, run, undefined), path).to.equal("ask");
            expect(request.kind === "write" && whyAlwaysAsked(request.changeSet, run)).to.equal(
                `Always asks: ${path} controls what other programs run.`
            );
        }
        for (const path of [
            "src/a.ts",
            "docs/update.md",
            "package.json",
            "src/commit-message.ts",
        ]) {
            expect(judge(change(path), edits, run, undefined), path).to.equal("allow");
        }
    });

    it("Edits in a root that is no project of the user's own are never automatic.", () => {
        const edits = { ...nothing, editsAutoAccept: true };
        const run = { acceptEdits: true, approveShell: false, asksForEdits: true };
        expect(judge(edit, edits, run, undefined)).to.equal("ask");
    });

    it("The flags of a run allow only what they name", () => {
        const edits = { acceptEdits: true, approveShell: false };
        expect(judge(edit, nothing, edits, undefined)).to.equal("allow");
        expect(judge(command("ls"), nothing, edits, "")).to.equal("ask");
    });

    it("A command with a consequence is asked about unless it was allowed by itself", () => {
        const removal = command("rm a", "deletes a");
        const automatic = { ...nothing, shellAutoApprove: true };
        const wholeRun = { acceptEdits: false, approveShell: true };
        const listed = { ...nothing, allowedCommands: [{ command: "rm a", cwd: "" }] };
        expect(judge(removal, automatic, thisRun, "")).to.equal("ask");
        expect(judge(removal, nothing, wholeRun, "")).to.equal("ask");
        expect(judge(removal, listed, thisRun, "")).to.equal("allow");
    });

    it("Without a user to ask, approving all commands covers those with a consequence", () => {
        const removal = command("rm a", "deletes a");
        const wholeRun = { acceptEdits: false, approveShell: true };
        const automatic = { ...nothing, shellAutoApprove: true };
        expect(judge(removal, nothing, wholeRun, "", false)).to.equal("allow");
        expect(judge(removal, automatic, thisRun, "", false)).to.equal("ask");
    });

    it("A remembered key needs no approval", () => {
        const remembered = { ...nothing, allowedKeys: ["host:example.org"] };
        expect(judge(question, remembered, thisRun, undefined)).to.equal("allow");
    });

    it("A remembered command matches only as a whole and in its own folder inside the repository", () => {
        const listed = (text: string, cwd: string): GrantSnapshot => ({
            ...nothing,
            allowedCommands: [{ command: text, cwd }],
        });
        const text = fc.string({ minLength: 1, maxLength: 12 });
        const folder = fc.constantFrom("", "src", "src/a");
        fc.assert(
            fc.property(text, text, folder, folder, (allowed, wanted, cwd, here) => {
                const isSame = allowed === wanted && cwd === here;
                const verdict = judge(command(wanted), listed(allowed, cwd), thisRun, here);
                expect(verdict).to.equal(isSame ? "allow" : "ask");
            })
        );
        const tests = listed("npm test", "");
        for (const near of [
            ...["npm test ", "npm test; rm -rf .", "npm  test", "npm tes", "npm test # x"],
            ...["npm test\nrm -rf .", "npm\ttest", "npm test\r", "\nnpm test", "NPM test"],
            // A character without width, a Cyrillic letter, a blank that does not break.
            ...["npm\u200b test", "n\u0440m test", "npm\u00a0test", "X=1 npm test"],
        ]) {
            expect(judge(command(near), tests, thisRun, ""), near).to.equal("ask");
        }

        expect(judge(command("npm test"), tests, thisRun, undefined)).to.equal("ask");
    });
});
