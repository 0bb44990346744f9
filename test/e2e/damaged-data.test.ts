import { execFileSync } from "node:child_process";
import * as fs from "node:fs";
import path from "node:path";
import { expect } from "chai";
import { describeOwner } from "../../src/base/owner.js";
import { ClaudeWorkplace } from "../helpers/claude-workplace.js";
import { reply, text } from "../helpers/vendors/messages-server.js";
import { git } from "../workspace/make-folder.js";

describe("Data folder with damage", () => {
    let place: ClaudeWorkplace;

    beforeEach(async () => {
        place = new ClaudeWorkplace().reusingProcess();
        await place.serve(() => reply(text("done")));
    });
    afterEach(() => place.remove());

    const inData = (...names: string[]) => path.join(place.data, ...names);

    it("Conversations that cannot be read leave the others in every list", async () => {
        await place.run(["-p", "hello"]);
        const [id = ""] = place.conversationIds();
        fs.mkdirSync(inData("conversations", "abcdef.jsonl"));
        fs.rmSync(inData("conversations", "index.json"), { force: true });
        fs.mkdirSync(inData("conversations", "index.json"));
        const warning = /^Not listed[^\n]*index\.json, abcdef\.jsonl[^\n]*\n$/;
        const list = await place.run(["conversations"]);
        expect(list).to.deep.include({ code: 0 });
        expect(list.stdout).to.contain(id);
        expect(list.stderr).to.match(warning);
        const resumed = await place.run(["resume", "--last", "-p", "more"]);
        expect(resumed).to.deep.include({ code: 0, stdout: "done\n" });
        expect(resumed.stderr).to.match(warning);
    });

    it("A FIFO in the place of a log is not waited for", async () => {
        await place.run(["-p", "hello"]);
        const [id = ""] = place.conversationIds();
        execFileSync("mkfifo", [inData("conversations", "abcdef.jsonl")]);
        const list = await place.run(["conversations"]);
        expect(list.stdout).to.contain(id);
        expect(list.stderr).to.match(/^Not listed[^\n]*abcdef\.jsonl[^\n]*\n$/);
        const shown = await place.run(["conversations", "show", "abcdef"]);
        expect(shown).to.include({ code: 1 });
        expect(shown.stderr).to.match(/^North cannot read [^\n]*abcdef\.jsonl/);
    });

    for (const name of ["costs.json", "costs.jsonl"]) {
        it(`A folder in the place of ${name} costs a warning, not the answer`, async () => {
            fs.mkdirSync(inData(name), { recursive: true });
            const { code, stdout, stderr } = await place.run(["-p", "hello"]);
            expect({ code, stdout }).to.deep.equal({ code: 0, stdout: "done\n" });
            expect(stderr).to.match(
                /^(Earlier costs are not counted|North cannot read)[^\n]*costs[^\n]*\n/
            );
            expect(stderr).not.to.match(/bug|^ +at /m);
            const [id = ""] = place.conversationIds();
            expect(place.records(id).at(-1)?.type).to.equal("conversation_ended");
        });
    }

    it("A damaged allowlist and a damaged trust file are reported where they count", async () => {
        await place.run(["allowlist", "add", "npm test"]);
        const [trust = ""] = fs
            .readdirSync(inData("projects"), { recursive: true, encoding: "utf8" })
            .filter((name) => name.endsWith("trust.json"));
        fs.writeFileSync(inData("projects", trust), "{");
        expect((await place.run(["allowlist"])).stderr).to.match(/^[^\n]*trust\.json is damaged/);
        fs.writeFileSync(place.place(".north/allowlist.json"), "{");
        const listed = await place.run(["allowlist"]);
        expect(listed.stderr).to.match(/allowlist\.json allows nothing: [^\n]+\n$/);
        const { code, stderr } = await place.run(["-p", "hello"]);
        expect(code).to.equal(0);
        expect(stderr).to.match(/allowlist\.json allows nothing/);
    });

    it("A file in the place of a folder of North's is named, whoever needs the folder", async () => {
        await place.run(["-p", "hello"]);
        const [id = ""] = place.conversationIds();
        const commands = [
            ["who"],
            ["conversations", "show", id],
            ["conversations", "delete", id, "-f"],
            ["resume", id, "-p", "more"],
            ["review", "--unseen", "--json"],
        ];
        for (const name of ["objects", "projects", "conversations"]) {
            fs.rmSync(inData(name), { recursive: true, force: true });
            fs.writeFileSync(inData(name), "");
            for (const command of commands) {
                const { stderr } = await place.run(command);
                expect(stderr, `${name}: ${command.join(" ")}`).not.to.match(/bug|ENOTDIR/);
            }
        }
        expect((await place.run(["who"])).stderr).to.contain(
            `North cannot read ${inData("conversations")} (not a directory).`
        );
    });

    it("A log that a newer North wrote, or that is unreadable, costs the readers of all logs a warning, not their work", async () => {
        fs.writeFileSync(place.place("a.txt"), "one\n");
        await place.run(["-p", "hello"]);
        const [id = ""] = place.conversationIds();
        const log = fs.readFileSync(place.conversationFile(id), "utf8");
        const newer = log.replace('"version":1', '"version":99').replaceAll(id, "abcdef");
        fs.writeFileSync(place.conversationFile("abcdef"), newer);
        for (const command of [
            ["search", "hello"],
            ["blame", "a.txt"],
            ["draft", "list"],
            ["allowlist", "suggest"],
        ]) {
            const { code, stderr } = await place.run(command);
            expect(code, command.join(" ")).to.equal(0);
            expect(stderr).to.match(/abcdef\.jsonl was written by a newer North\.\n/);
        }
        expect((await place.run(["search", "hello"])).stdout).to.contain(id);
        fs.mkdirSync(place.conversationFile("abcdee"));
        git(place.repository, "add", "a.txt");
        git(place.repository, "-c", "user.name=A", "-c", "user.email=a@b", "commit", "-qm", "a");
        for (const command of [
            ["allowlist", "suggest"],
            ["attest"],
            ["blame", "a.txt"],
            ["draft", "list"],
            ["search", "hello"],
        ]) {
            const { stderr } = await place.run(command);
            expect(stderr).to.match(/^Not listed, because unreadable: abcdee\.jsonl/m);
        }
        const resumed = await place.run(["resume", "abcdef", "-p", "more"]);
        expect(resumed.stderr).to.match(/^[^\n]*written by a newer North\.\n.*Update North/);
    });

    it("An empty log is not resumed, and says so", async () => {
        fs.mkdirSync(inData("conversations"), { recursive: true });
        fs.writeFileSync(inData("conversations", "abc123.jsonl"), "");
        const { code, stderr } = await place.run(["resume", "abc123", "-p", "more"]);
        expect(code).to.equal(1);
        expect(stderr).to.match(/^The log of conversation abc123 is empty\.\n.*delete abc123/);
        expect(await place.run(["conversations", "delete", "abc123", "-f"])).to.include({
            code: 0,
        });
    });

    it("A log of which no line can be read is called damaged, not empty", async () => {
        fs.mkdirSync(inData("conversations"), { recursive: true });
        fs.writeFileSync(
            inData("conversations", "abc123.jsonl"),
            Buffer.alloc(300, "\xfe\n", "latin1")
        );
        for (const command of [
            ["resume", "abc123", "-p", "more"],
            ["conversations", "show", "abc123"],
            ["conversations", "export", "abc123"],
        ]) {
            const { code, stderr } = await place.run(command);
            expect(code, command.join(" ")).to.equal(1);
            expect(stderr).to.match(
                /^The log of conversation abc123 is damaged: no line can be read\.\n/
            );
        }
    });

    it("A log without its first line is resumed with the model of new conversations", async () => {
        await place.run(["-p", "hello"]);
        const [id = ""] = place.conversationIds();
        const log = fs.readFileSync(place.conversationFile(id), "utf8");
        fs.writeFileSync(place.conversationFile(id), `{"torn\n${log.slice(log.indexOf("\n") + 1)}`);
        const { code, stdout } = await place.run(["resume", id, "-p", "more"]);
        expect({ code, stdout }).to.deep.equal({ code: 0, stdout: "done\n" });
    });

    it("What killed runs held is swept by the next conversation", async () => {
        fs.mkdirSync(inData("conversations"), { recursive: true });
        const dead = (await describeOwner()).replace(`-${process.pid}-`, "-99999999-");
        fs.symlinkSync(dead, inData("conversations", "abc123.holder"));
        await place.run(["-p", "hello"]);
        const names = fs.readdirSync(inData("conversations"));
        expect(names.filter((name) => name.endsWith(".holder"))).to.deep.equal([]);
    });

    it("A file system without links holds conversations and costs", async () => {
        const preload = path.join(place.folder, "no-links.cjs");
        fs.writeFileSync(
            preload,
            `require("node:fs").symlinkSync = () => {
                throw Object.assign(new Error("no links"), { code: "EPERM" });
            };
            require("node:module").syncBuiltinESMExports();`
        );
        const end = await place.run(["-p", "hello"], { env: { NODE_OPTIONS: `-r ${preload}` } });
        expect(end).to.deep.include({ code: 0, stdout: "done\n", stderr: "" });
        expect(fs.existsSync(inData("costs.json"))).to.equal(true);
        const names = fs.readdirSync(place.data, { recursive: true, encoding: "utf8" });
        expect(names.filter((name) => /\.(?:lock|holder)/.test(name))).to.deep.equal([]);
    });
});
