import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import path from "node:path";
import { expect } from "chai";
import { addTrailer } from "../../../src/workspace/apply/add-trailer.js";
import { git, makeRepository, refusal } from "../make-folder.js";

const TRAILER = "Assisted-by: North:offline";

describe("The trailer of a commit", () => {
    let root: string;
    beforeEach(() => {
        root = makeRepository();
    });

    /** The message of a commit after a trailer was added. */
    async function added(message: string): Promise<string> {
        git(root, "commit", "-q", "--allow-empty", "--cleanup=verbatim", "-m", message);
        await addTrailer(root, tip(), TRAILER);
        return git(root, "log", "-1", "--format=%B").trimEnd();
    }
    const tip = () => ({
        branch: git(root, "symbolic-ref", "HEAD").trim(),
        commit: git(root, "rev-parse", "HEAD").trim(),
    });

    it("The trailer is its own paragraph, or joins existing trailers, once", async () => {
        expect(await added("Title")).to.equal(`Title\n\n${TRAILER}`);
        expect(await added("fix: title")).to.equal(`fix: title\n\n${TRAILER}`);
        expect(await added("Title\n\nBody: of it\nmore\n")).to.equal(
            `Title\n\nBody: of it\nmore\n\n${TRAILER}`
        );
        const signed = "Title\n\nBody\n\nSigned-off-by: Ann <ann@example.org>";
        expect(await added(signed)).to.equal(`${signed}\n${TRAILER}`);
        expect(await added(`Title\n\n${TRAILER}`)).to.equal(`Title\n\n${TRAILER}`);
    });

    it("Git itself reads it as a trailer, and nothing else in the commit changes", async () => {
        git(root, "commit", "-q", "--allow-empty", "-m", "First");
        git(root, "commit", "-q", "--allow-empty", "-m", "Second");
        const facts = () => git(root, "log", "-1", "--format=%T %P %an %ae %at %cn %ct");
        const before = facts();
        await addTrailer(root, tip(), TRAILER);
        expect(facts()).to.equal(before);
        const read = git(root, "log", "-1", "--format=%(trailers:key=Assisted-by,valueonly)");
        expect(read.trim()).to.equal("North:offline");
    });

    it("A message in another encoding keeps its bytes", async () => {
        const input = Buffer.from([0xe9, 0x0a]);
        const options = ["-c", "i18n.commitEncoding=latin1", "-c", "user.name=T"];
        const rest = ["-c", "user.email=t@e", "commit", "-q", "--allow-empty", "-F", "-"];
        execFileSync("git", [...options, ...rest], { cwd: root, input });
        await addTrailer(root, tip(), TRAILER);
        const raw = execFileSync("git", ["cat-file", "commit", "HEAD"], { cwd: root });
        expect(raw.includes(Buffer.from([0x0a, 0xe9, 0x0a, 0x0a]))).to.equal(true);
    });

    it("A message that ends in a letter whose last byte is 0xA0 keeps it", async () => {
        expect(await added("Voilà")).to.equal(`Voilà\n\n${TRAILER}`);
        expect(await added("Title\n\nÇa va, voilà \t\n\n")).to.equal(
            `Title\n\nÇa va, voilà\n\n${TRAILER}`
        );
    });

    it("No command runs that the repository's settings name for trailers", async () => {
        git(root, "config", "trailer.Assisted-by.cmd", "touch pwned; echo");
        git(root, "config", "trailer.Assisted-by.command", "touch pwned");
        expect(await added("Title")).to.equal(`Title\n\n${TRAILER}`);
        expect(existsSync(path.join(root, "pwned"))).to.equal(false);
    });

    it("A branch that moved on, and a signed commit, stay as they are", async () => {
        git(root, "commit", "-q", "--allow-empty", "-m", "First");
        const first = tip();
        git(root, "commit", "-q", "--allow-empty", "-m", "Second");
        const second = tip();
        expect(await refusal(() => addTrailer(root, first, TRAILER))).to.equal("git-failed");
        expect(tip()).to.deep.equal(second);
        const [head = "", ...body] = git(root, "cat-file", "commit", "HEAD").split("\n\n");
        const input = `${head}\ngpgsig -----BEGIN\n x\n\n${body.join("\n\n")}`;
        const store = ["hash-object", "-t", "commit", "-w", "--stdin"];
        const signed = execFileSync("git", store, { cwd: root, input, encoding: "utf8" }).trim();
        git(root, "reset", "-q", signed);
        expect(await refusal(() => addTrailer(root, tip(), TRAILER))).to.equal("git-failed");
        expect(tip().commit).to.equal(signed);
    });
});
