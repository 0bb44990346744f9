import { execFileSync } from "node:child_process";
import * as fs from "node:fs";

import { expect } from "chai";

import { answer } from "../helpers/answers.js";
import { ClaudeWorkplace } from "../helpers/claude-workplace.js";
import { reply, text, toolUse } from "../helpers/vendors/messages-server.js";
import { describeContained } from "../shell/containment/contained.js";

const EDITS = ["--model", "sonnet", "--accept-edits", "-p"];
const BUILD = "mkdir -p packages/a/dist/.cache; date +%s%N >packages/a/dist/x.js; echo built";

describeContained("The built program and outputs that git ignores", () => {
    let place: ClaudeWorkplace;
    beforeEach(() => {
        place = new ClaudeWorkplace({
            "a.txt": "a\n",
            ".gitignore": "dist/\n*.db\n",
        }).reusingProcess();
        place.configure({ containment: "auto" });
    });
    afterEach(() => place.remove());

    const run = (id: string, command: string) => toolUse(id, "shell_run", { command });
    const resultsOf = () =>
        place.server.requests
            .at(-1)
            ?.body.messages.flatMap(({ content }) => content)
            .filter(({ type }) => type === "tool_result")
            .map(({ content }) => String(content)) ?? [];

    it("`a` keeps what one command leaves in one ignored folder, from then on without a question", async () => {
        const again = [run("c1", BUILD), run("c2", BUILD), run("c3", `${BUILD}; true`)];
        await place.serve([...again.map((block) => reply(block)), reply(text("Done."))]);
        const chat = await place.chat(["--model", "sonnet"]);
        chat.type("Go on\r");
        await chat.waitFor(/Keep what this command left in packages\/a\/dist\/\? /);
        expect(chat.screen()).to.contain("1 file, ignored: x.js");
        expect(chat.screen()).not.to.contain("always allow edits");
        await answer(chat, "always");
        await chat.waitFor("echo built; true\n1 file, ignored: x.js");
        await answer(chat, "no");
        await chat.waitFor("● Done.");
        const [first, second, third] = resultsOf();
        for (const kept of [first, second]) {
            expect(kept).to.contain('"outputs":["packages/a/dist/ (1 file)"]');
        }
        expect(third).to.contain("Discarded, ignored: packages/a/dist/ (1 file)");
        expect(chat.transcript()).to.contain(
            "✔ Kept packages/a/dist/ (1 file) · always kept for this command (/trust)"
        );
        expect(chat.transcript()).not.to.contain("ignored:");
        chat.type("/quit\r");
        await chat.exit();
        const { permissions } = JSON.parse(
            `{"permissions": ${place.files()[".north/permissions.json"] ?? "{}"}}`
        ) as { permissions: { allowedKeys: string[] } };
        expect(permissions.allowedKeys).to.deep.equal([
            `keep "packages/a/dist/" from ${JSON.stringify(BUILD)} in ""`,
        ]);
    });

    it("`s` keeps outputs until North quits, for the same command and the same folder", async () => {
        const nested = BUILD.replaceAll("packages/a", "packages/b");
        const commands = [BUILD, BUILD, nested, `${BUILD}; echo b >b.txt`, BUILD, nested];
        const calls = commands.map((command, index) => reply(run(`c${index}`, command)));
        await place.serve([...calls, reply(text("Done.")), reply(run("d", BUILD))]);
        const chat = await place.chat(["--model", "sonnet"]);
        chat.type("Go on\r");
        await chat.waitFor(/Keep what this command left in packages\/a\/dist\/\? /);
        expect(chat.screen()).to.match(/y yes.*s until I quit.*a always for this command/);
        await answer(chat, "until I quit");
        await chat.waitFor(/Keep what this command left in packages\/b\/dist\/\? /);
        await answer(chat, "no");
        // A change that git does not ignore is another question, which covers this time only.
        await chat.waitFor(/Apply this command's changes/);
        await answer(chat, "yes");
        await chat.waitFor(/Created b\.txt.*command left in packages\/b\/dist\/\? /s);
        await answer(chat, "no");
        await chat.waitFor("● Done.");
        expect(chat.transcript()).to.contain(
            "✔ Kept packages/a/dist/ (1 file) · kept for this command until you quit"
        );
        chat.type("/quit\r");
        await chat.exit();
        expect(place.files()[".north/permissions.json"]).to.equal(undefined);
        const next = await place.chat(["--model", "sonnet"]);
        next.type("Go on\r");
        await next.waitFor(/Keep what this command left in packages\/a\/dist\/\? /);
        await answer(next, "no");
    });

    it("A permission for outputs covers no reviewed file, and never what runs later", async () => {
        const command = "mkdir -p dist; echo 1 >dist/x; [ -e go ] && echo x >dist/.envrc; true";
        await place.serve([reply(run("c1", command)), reply(text("Done."))]);
        const chat = await place.chat(["--model", "sonnet"]);
        chat.type("Go on\r");
        await chat.waitFor(/Keep what this command left in dist/);
        await answer(chat, "always");
        await chat.waitFor("● Done.");
        chat.type("/quit\r");
        await chat.exit();
        fs.writeFileSync(place.place("go"), "");
        await place.serve([reply(run("c1", command)), reply(text("Done."))]);
        const end = await place.run([...EDITS, "Go on"]);
        expect(end.stderr).to.contain("dist/.envrc controls what other programs run");
        expect(place.files()).not.to.have.property("dist/.envrc");
    });

    it("Caches and empty folders need no question, and compiled ones are discarded", async () => {
        const command =
            "mkdir -p .pytest_cache/v __pycache__ empty; echo 1 >.pytest_cache/v/last; echo 2 >__pycache__/a.pyc; echo ran";
        await place.serve([reply(run("c1", command)), reply(text("Done."))]);
        const end = await place.run(["--model", "sonnet", "-p", "Go on"]);
        expect(end.stderr).not.to.contain("Denied");
        expect(resultsOf()[0])
            .to.contain('"stdout":"ran\\n"')
            .and.contain('"cacheFiles":2')
            .and.not.contain("notes");
        expect(place.files()).to.have.property(".pytest_cache/v/last");
        expect(place.files()).not.to.have.property("__pycache__/a.pyc");
        expect(fs.existsSync(place.place("empty"))).to.equal(true);
    });

    it("A test, a program or a link in a cache folder is not kept without a question: runners find them", async () => {
        const command = [
            "mkdir -p .mypy_cache/3.12 .pytest_cache",
            "echo '{}' >.mypy_cache/3.12/a.data.json",
            "echo evil >.mypy_cache/evil.test.js",
            "echo evil >.pytest_cache/test_evil.py",
            "echo evil >.mypy_cache/run; chmod +x .mypy_cache/run",
            "ln -s run .mypy_cache/also",
        ].join("; ");
        await place.serve([reply(run("c1", command)), reply(text("Done."))]);
        const end = await place.run(["--model", "sonnet", "-p", "Go on"]);
        expect(end.stderr).to.contain("Denied: .mypy_cache/");
        const left = Object.keys(place.files()).filter((name) => name.includes("_cache/"));
        for (const name of left) expect(name).to.equal(".mypy_cache/3.12/a.data.json");
    });

    it("In ask mode outputs are discarded and the result is an ordinary one", async () => {
        await place.serve([reply(run("c1", BUILD)), reply(text("Done."))]);
        await place.run(["--mode", "ask", "--model", "sonnet", "-p", "Go on"]);
        expect(resultsOf()[0]).to.contain("built").and.not.to.contain("In ask mode");
        expect(fs.existsSync(place.place("packages"))).to.equal(false);
    });

    it("An allowed command's permission lapses once outputs that it may run have changed", async () => {
        await place.run(["allowlist", "add", "sh dist/x.sh"]);
        const real = "sh dist/x.sh";
        await place.serve([
            reply(run("c1", "mkdir dist; echo 'echo ran; touch proof' >dist/x.sh")),
            reply(run("c2", real)),
            reply(text("Done.")),
        ]);
        const end = await place.run([...EDITS, "Go on"]);
        expect(end.code, end.stderr).to.equal(0);
        expect(resultsOf()[1]).to.contain('"because":"1 file changed since it was allowed"');
    });

    it("Ignored data that a command replaces or deletes is rescued first, but not what a command left itself", async () => {
        fs.writeFileSync(place.place("one.db"), "precious\n");
        fs.writeFileSync(place.place("two.db"), "precious too\n");
        const build = "mkdir -p dist; date +%s%N >dist/x";
        await place.serve([
            reply(run("c1", "echo 2 >one.db; rm two.db")),
            reply(run("c2", build)),
            reply(run("c3", build)),
            reply(text("Done.")),
        ]);
        const end = await place.run([...EDITS, "Go on"]);
        expect(place.files()).to.include({ "one.db": "2\n" }).and.not.have.property("two.db");
        const [, id = ""] =
            /Kept: 2 files not in git\. \/rescue restores them, in a shell `.* rescue restore (\w+)`/.exec(
                end.stderr
            ) ?? [];
        expect(end.stderr.match(/Kept: /g)).to.have.length(1);
        await place.run(["rescue", "restore", id]);
        expect(place.files()).to.include({ "one.db": "precious\n", "two.db": "precious too\n" });
    });

    it("Undo, drop, turns, evidence and replay do not see outputs, and undo names what it leaves", async () => {
        const build = `echo 'Built.'; mkdir -p dist; date +%s%N >dist/x; echo b >a.txt`;
        await place.serve([
            reply(run("c1", build)),
            reply(run("c2", "cat a.txt")),
            reply(text("Done.")),
        ]);
        await place.run([...EDITS, "Go on"]);
        fs.writeFileSync(place.place("dist/x"), "built again by hand\n");
        const turns = await place.run(["turns"]);
        expect(turns.stdout).to.contain("a.txt").and.not.to.contain("dist");
        const [id = ""] = place.conversationIds();
        const replayed = await place.run(["replay", id]);
        expect(replayed.stdout, replayed.stderr).to.contain(
            "No difference: 1 turn, 2 calls repeated"
        );
        const undone = await place.run(["undo", "--force"]);
        expect(undone.stdout).to.contain("Left as it is, ignored: dist/ (1 file).");
        expect(place.files()).to.include({ "a.txt": "a\n", "dist/x": "built again by hand\n" });
    });

    it("Thousands of files in node_modules are kept as a folder, beside one lockfile that is reviewed", async () => {
        const install = [
            "for p in $(seq 200); do d=node_modules/p$p/lib; mkdir -p $d; for f in $(seq 25); do echo $f >$d/$f.js; done; done",
            "echo '{}' >package-lock.json",
        ].join("; ");
        await place.serve([reply(run("c1", install)), reply(text("Done."))]);
        const chat = await place.chat(["--model", "sonnet"]);
        chat.type("Go on\r");
        await chat.waitFor("5,000 files, ignored: p1/lib/1.js");
        expect(chat.screen()).to.contain("package-lock.json");
        await answer(chat, "yes");
        await chat.waitFor("● Done.");
        expect(chat.transcript()).to.contain(
            "✔ Created package-lock.json (+1 -0); Kept node_modules/ (5,000 files)"
        );
        const count = execFileSync("find", ["node_modules", "-type", "f"], {
            cwd: place.repository,
            encoding: "utf8",
        });
        expect(count.trim().split("\n")).to.have.length(5_000);
        expect(place.files()).to.have.property("package-lock.json");
        chat.type("/quit\r");
        await chat.exit();
    });
});
