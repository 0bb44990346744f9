import { expect } from "chai";
import { statSync } from "node:fs";
import path from "node:path";
import { answer } from "../helpers/answers.js";
import { ClaudeWorkplace, IDLE } from "../helpers/claude-workplace.js";
import type { PseudoTerminal } from "../helpers/pseudo-terminal.js";
import { reply, text, toolUse } from "../helpers/vendors/messages-server.js";
import { describeContained } from "../shell/containment/contained.js";
import { resultsIn, textsIn } from "./requests.js";
import { git } from "../workspace/make-folder.js";

const DRAFT = ["--mode", "draft"];
const PRINT = ["-p", ...DRAFT, "--output-format", "json"];
let calls = 0;

const create = (path: string, content: string) => {
    calls += 1;
    return reply(toolUse(`call_${calls}`, "edit_create_file", { path, content }));
};
const run = (id: string, command: string) => reply(toolUse(id, "shell_run", { command }));
const done = reply(text("Done."));

describeContained("Commands and reads in a draft of the built program", () => {
    let place: ClaudeWorkplace;
    let terminal: PseudoTerminal;

    beforeEach(() => {
        place = new ClaudeWorkplace({
            "a.txt": "good\n",
            "b.txt": "good\n",
            ".gitignore": "dist/\n",
        }).reusingProcess();
        place.configure({ containment: "auto", checkCommands: ["grep -q good b.txt"] });
    });
    afterEach(() => place.remove());

    async function say(message: string): Promise<void> {
        await terminal.waitFor(IDLE);
        terminal.type(`${message}\r`);
    }

    const results = () => resultsIn(place.server.requests.at(-1)?.body);

    for (const [end, said, exitCode, fate] of [
        ["discard", "Draft discarded.", 1, "gone"],
        ["yes", "Draft applied", 0, "kept"],
    ] as const) {
        it(`What a draft's commands built is ${fate} after "${end}"`, async () => {
            const caches =
                "mkdir -p lib/__pycache__ .pytest_cache && touch lib/__pycache__/a.pyc .pytest_cache/a.json";
            await place.serve([
                run(
                    "build",
                    `mkdir dist && echo built > dist/out && echo x > new.txt && ${caches}`
                ),
                run("before", "cat dist/out"),
                done,
                run("after", "cat dist/out"),
                done,
            ]);
            terminal = await place.chat(DRAFT);
            await say("Build");
            await terminal.waitFor("Apply this draft?");
            await terminal.waitFor(/dist\/\s+1 file, ignored: out/);
            await answer(terminal, end);
            await terminal.waitFor(said);
            await say("Look again");
            await terminal.waitUntil(() => results().after !== undefined);
            expect(results().before?.data).to.include({ exitCode: 0 });
            expect(results().after?.data).to.include({ exitCode });
            const files = Object.keys(place.files());
            expect(files.includes("dist/out")).to.equal(end === "yes");
            expect(files.includes(".pytest_cache/a.json")).to.equal(end === "yes");
            expect(files).not.to.include("lib/__pycache__/a.pyc");
        });
    }

    it("A turn that only builds ends with a question about what it built", async () => {
        await place.serve([
            run("build", "mkdir dist && echo built > dist/out"),
            done,
            run("look", "ls dist"),
            done,
            run("again", "echo more > dist/more"),
            done,
        ]);
        terminal = await place.chat(DRAFT);
        await say("Build");
        await terminal.waitFor("Apply this draft?");
        await answer(terminal, "later");
        await terminal.waitFor("The draft is kept");
        await say("Look");
        await terminal.waitUntil(() => results().look !== undefined);
        await say("Again");
        await terminal.waitFor("2 files, ignored: more, out");
        await answer(terminal, "yes");
        await terminal.waitFor("Draft applied");
        expect(Object.keys(place.files())).to.include.members(["dist/out", "dist/more"]);
        await say("/undo");
        await terminal.waitFor("Nothing to undo");
    });

    it("A changed mode stays in a draft that the user edits before it is applied", async () => {
        await place.serve([run("mode", "chmod 755 b.txt"), create("new.txt", "draft\n"), done]);
        const env = { EDITOR: "sed -i s/draft/mine/", VISUAL: "" };
        terminal = await place.chat(DRAFT, { env });
        await say("Begin");
        await terminal.waitFor("Apply this draft?");
        await answer(terminal, "edit");
        await terminal.waitFor("Apply your version?");
        await answer(terminal, "yes");
        await terminal.waitFor("Draft applied");
        expect(place.files()["new.txt"]).to.equal("mine\n");
        expect(statSync(path.join(place.repository, "b.txt")).mode & 0o777).to.equal(0o755);
    });

    it("A check sees the draft with the proposal, and models learn that it was drafted", async () => {
        place.configure({
            containment: "auto",
            checks: [
                {
                    run: "grep -q drafted a.txt || exit 0; echo b.txt:1: error: $(cat b.txt); exit 1",
                    files: "b.txt",
                    refuse: true,
                },
            ],
        });
        const edit = (id: string, path: string, fresh: string) =>
            reply(toolUse(id, "edit_replace_exact", { path, old: "good", new: fresh }));
        await place.serve([
            edit("first", "a.txt", "drafted"),
            edit("second", "b.txt", "worse"),
            done,
        ]);
        await place.run([...PRINT, "Go on"]);
        expect(results().first?.data).to.include({ applied: "drafted" });
        expect(results().second?.error?.message).to.match(/b\.txt:1: error:.*worse/);
    });

    it("Mentioned files are completed and read through the draft", async () => {
        await place.serve([create("new.txt", "only in the draft\n"), done, done]);
        terminal = await place.chat(DRAFT);
        await say("Begin");
        await terminal.waitFor("Apply this draft?");
        await answer(terminal, "later");
        await terminal.waitFor("The draft is kept");
        await terminal.waitFor(IDLE);
        terminal.type("Look at @");
        await terminal.waitFor("@a.txt");
        // A stale list is shown until the key after its refresh.
        for (let tries = 0; !terminal.screen().includes("@new.txt") && tries < 100; tries += 1) {
            terminal.type("n");
            await terminal.waitFor("❯ Look at @n");
            terminal.type("\x7f");
            await terminal.waitUntil((screen) => !screen.includes("Look at @n"));
        }
        expect(terminal.screen()).to.match(/^ *@new\.txt$/m);
        terminal.type("new.txt please\r");
        await terminal.waitUntil(() => place.server.requests.length === 3);
        const sent = textsIn(place.server.requests.at(-1)?.body).join("\n");
        expect(sent).to.contain("## new.txt").and.contain("only in the draft");
    });

    it("A file changed outside after a check makes the draft untested", async () => {
        await place.serve([
            create("new.txt", "new\n"),
            run("check", "grep -q good b.txt"),
            done,
            done,
        ]);
        terminal = await place.chat(DRAFT);
        await say("Begin");
        await terminal.waitFor("grep -q good b.txt passed on it");
        await answer(terminal, "later");
        await terminal.waitFor("The draft is kept");
        place.write("b.txt", "other\n");
        await say("/draft");
        await terminal.waitFor("not tested since");
    });

    const FORGE = [
        "mkdir fake && printf '#!/bin/sh\\n' > fake/grep && chmod +x fake/grep",
        "export PATH=$PWD/fake:$PATH",
    ].join(" && ");

    it("A check in a shell whose PATH an earlier command changed is no evidence", async () => {
        place.configure({ containment: "auto", checkCommands: ["grep -q bad b.txt"] });
        await place.serve([run("forge", FORGE), run("check", "grep -q bad b.txt"), done]);
        terminal = await place.chat(DRAFT);
        await say("Begin");
        await terminal.waitFor("grep -q bad b.txt: result unknown");
        expect(terminal.screen()).not.to.contain("passed on it");
        expect(JSON.stringify(results().check)).not.to.contain("exit 1");
    });

    it("The command of --until does not run what a contained command put on PATH", async () => {
        await place.serve([run("forge", FORGE), ...Array<typeof done>(8).fill(done)]);
        const until = ["--accept-edits", "--until", "grep -q bad b.txt"];
        const { code, stdout } = await place.run([...PRINT, ...until, "Do it"]);
        expect(code).to.equal(1);
        expect(stdout).to.contain("still fails");
        expect(place.files()).not.to.have.property("fake/grep");
    });

    it("A resumed draft says which outputs are gone, and is not tested until the check runs again", async () => {
        const check = "grep -q good b.txt";
        await place.serve([
            create("new.txt", "new\n"),
            run("build", "mkdir dist && echo built > dist/out"),
            run("check", check),
            done,
            run("again", check),
            done,
        ]);
        terminal = await place.chat(DRAFT);
        await say("Begin");
        await terminal.waitFor(`${check} passed on it`);
        await answer(terminal, "later");
        await terminal.waitFor("The draft is kept");
        await say("/quit");
        await terminal.exit();
        const [id = ""] = place.conversationIds();
        terminal = await place.chat(["resume", id]);
        await terminal.waitFor("Not kept with the draft, because it is ignored: dist/ (1 file).");
        await say("/draft");
        await terminal.waitFor("not tested since");
        await say("Check again");
        await terminal.waitUntil(() => place.server.requests.length === 6);
        await say("/draft");
        await terminal.waitFor(`${check} passed on it`);
        await say("/quit");
        await terminal.exit();
    });

    const REAL = "cat new.txt; exec 3<>/dev/tcp/192.0.2.1/9";

    it("What a command moves in git is drafted without a question, and the model learns that git has none of it", async () => {
        git(place.repository, "add", ".");
        git(place.repository, "commit", "-qm", "First");
        await place.serve([run("move", "git mv a.txt moved.txt"), done]);
        const { stdout } = await place.run([...PRINT, "--patch", "-", "Move it"]);
        expect(stdout).to.contain("rename");
        const notes = ["Not done in git: Stage 2 files (a.txt (deleted), moved.txt)."];
        expect(results().move?.data).to.deep.include({ notes });
    });

    it("A command for real says that it does not see the draft, and runs without another question once all of that is applied", async () => {
        await place.serve([create("new.txt", "new\n"), run("real", REAL), done]);
        terminal = await place.chat(DRAFT);
        await say("Begin");
        await terminal.waitFor("It does not see the draft (1 file).");
        await answer(terminal, "apply the draft, then run");
        await terminal.waitFor("Apply this draft?");
        await answer(terminal, "yes");
        await terminal.waitFor("Draft applied: 1 file +1 -0.");
        await terminal.waitUntil(() => results().real !== undefined);
        expect(place.files()["new.txt"]).to.equal("new\n");
        expect(results().real?.data).to.deep.include({ stdout: "new\n" });
        expect(results().real?.data).not.to.have.property("contained");
    });

    for (const choice of ["later", "discard"] as const) {
        it(`A command for real is asked about again after "${choice}" in the draft's review`, async () => {
            await place.serve([create("new.txt", "new\n"), run("real", REAL), done]);
            terminal = await place.chat(DRAFT);
            await say("Begin");
            await terminal.waitFor("It does not see the draft (1 file).");
            await answer(terminal, "apply the draft, then run");
            await terminal.waitFor("Apply this draft?");
            await answer(terminal, choice);
            await terminal.waitFor(choice === "later" ? "The draft is kept" : "Draft discarded");
            await answer(terminal, "no");
            await terminal.waitUntil(() => results().real !== undefined);
            expect(results().real?.error ?? results().real?.data).to.satisfy((said: unknown) =>
                JSON.stringify(said).includes("denied")
            );
            expect(place.files()).not.to.have.property("new.txt");
        });
    }
});
