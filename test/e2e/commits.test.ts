import { execFileSync } from "node:child_process";
import * as fs from "node:fs";
import path from "node:path";
import { expect } from "chai";
import { answer, offered, quiet } from "../helpers/answers.js";
import { Workplace } from "../helpers/north-program.js";
import { describeContained } from "../shell/containment/contained.js";
import { git } from "../workspace/make-folder.js";

const PRINT = ["--model", "offline", "-p"];
const COMMIT = "run git commit -q --allow-empty -m Second";

describeContained("The built program and commits", () => {
    let place: Workplace;
    beforeEach(() => {
        place = new Workplace({ "a.txt": "a\n" });
        place.configure({ containment: "auto" });
        git(place.repository, "config", "user.name", "Test");
        git(place.repository, "config", "user.email", "test@example.org");
        git(place.repository, "add", "-A");
        git(place.repository, "commit", "--quiet", "-m", "First");
    });
    afterEach(() => place.remove());

    const branch = () => git(place.repository, "branch", "--show-current").trim();
    const count = () => Number(git(place.repository, "rev-list", "--count", "HEAD"));

    it("`a` allows commits, in print mode too, until the permission is removed; `/undo` names the commit", async () => {
        const chat = place.open(["--model", "offline"]);
        await chat.waitFor(/❯ *$/);
        chat.type(`${COMMIT}\r`);
        await chat.waitFor("Commit to");
        await answer(chat, "no");
        await chat.waitFor("Not done in git");
        expect(count()).to.equal(1);
        chat.type(`${COMMIT}\r`);
        await chat.waitFor("always allow commits here");
        await answer(chat, "always");
        await chat.waitFor("commits are automatic in this project from now on");
        await chat.waitUntil(() => count() === 2, "the commit");
        expect(count()).to.equal(2);
        chat.type("/undo\r");
        await chat.waitFor("Commits are not undone: Commit to");
        chat.type("/quit\r");
        await chat.exit();
        const earlier = place.conversationIds();
        await place.run([...PRINT, COMMIT]);
        expect(count()).to.equal(3);
        const printed = place.conversationIds().find((id) => !earlier.includes(id));
        const replayed = await place.run(["replay", printed ?? ""]);
        expect(replayed.stdout).to.contain("1 call could not be repeated");
        expect(count()).to.equal(3);
        const removed = await place.run(["allowlist", "remove", "commits"]);
        expect(removed.code, removed.stderr).to.equal(0);
        const denied = await place.run([...PRINT, COMMIT]);
        expect(denied.stderr).to.contain("Denied: ").and.contain("`a` in the chat allows commits");
        expect(count()).to.equal(3);
    });

    it("The review of a commit offers an `Assisted-by:` trailer, and only its own key adds one", async () => {
        const message = () => git(place.repository, "log", "-1", "--format=%B").trim();
        const chat = place.open(["--model", "offline"]);
        await chat.waitFor(/❯ *$/);
        chat.type(`${COMMIT}\r`);
        await chat.waitFor(/m +yes, with\s+Assisted-by/);
        await answer(chat, "yes");
        await chat.waitUntil(() => count() === 2, "the commit");
        expect(message()).to.equal("Second");
        await chat.waitFor(/❯ *$/);
        chat.type("run git commit -q --allow-empty -m Third\r");
        await chat.waitFor(/Third/);
        await answer(chat, "yes, with the trailer");
        await chat.waitUntil(() => message().includes("Assisted-by"), "the trailer");
        expect(message()).to.equal("Third\n\nAssisted-by: North:offline");
        expect(count()).to.equal(3);
        expect(git(place.repository, "status", "--porcelain")).to.equal("");
        await chat.waitFor(/❯ *$/);
        chat.type("run git commit -q --amend --allow-empty -m Fourth\r");
        await chat.waitFor("Amend the last commit");
        await offered(chat, "no");
        expect(await quiet(chat)).not.to.contain("yes, with");
        await answer(chat, "no");
        await chat.waitFor("Not done in git");
        chat.type("/quit\r");
        await chat.exit();
    });

    it("A commit that git refuses after its files are written is told so", async () => {
        const chat = place.open(["--model", "offline"]);
        await chat.waitFor(/❯ *$/);
        chat.type("run echo new >a.txt && git commit -qam Second\r");
        await chat.waitFor("Commit to");
        const log = path.join(place.repository, ".git/logs/refs/heads", branch());
        fs.rmSync(log);
        fs.mkdirSync(log);
        fs.writeFileSync(path.join(log, "in-the-way"), "");
        await answer(chat, "yes");
        const screen = await chat.waitFor(/Not done in git[^]*❯ *$/);
        expect(screen).to.match(/✘ Not written: Commit to [^,]+ · The files were written, but not/);
        expect(screen).not.to.contain("It would have changed");
        expect(place.files()["a.txt"]).to.equal("new\n");
        expect(count()).to.equal(1);
        chat.type("/quit\r");
        await chat.exit();
    });

    it("Contained, git obeys the settings that the user includes, without their credentials, and runs the user's hooks", async () => {
        const write = (name: string, content: string, mode = 0o644) => {
            const file = path.join(place.home, name);
            fs.mkdirSync(path.dirname(file), { recursive: true });
            fs.writeFileSync(file, content, { mode });
        };
        const work =
            "[user]\n\tname = Work\n[http]\n\textraheader = Authorization: Basic c2VjcmV0\n";
        write("settings/work", work);
        write("settings/ignore", "*.swp\n");
        write("hooks/pre-commit", "#!/bin/sh\necho hooked >&2\n", 0o755);
        const included = `[includeIf "gitdir:${place.folder}/"]\n\tpath = ~/settings/work\n`;
        const named = "[core]\n\texcludesFile = ~/settings/ignore\n\thooksPath = ~/hooks\n";
        write(".gitconfig", included + named);
        git(place.repository, "config", "--unset", "user.name");
        place.write("a.txt", "b\n");
        place.write("a.swp", "swap\n");
        const run = (command: string) =>
            place.run([...PRINT, `run ${command}`], {
                env: { GIT_CONFIG_GLOBAL: undefined, NORTH_RESULTS: "text" },
            });
        const { stdout } = await run(
            'git config http.extraheader; git add -A; git commit -qm Second; git log -1 --format=%an; git show --stat --format=""'
        );
        expect(stdout).to.contain("\nWork\n a.txt | 2 +-\n 1 file changed").and.contain("hooked");
        expect(stdout).not.to.contain("c2VjcmV0");

        git(place.repository, "config", "core.hooksPath", path.join(place.home, "others"));
        const without = await run("git commit -qam Third");
        expect(without.stderr).not.to.contain("hooks in");
        write("others/pre-commit", "#!/bin/sh\n", 0o755);
        const hidden = await run("git commit -qam Third");
        expect(hidden.stderr).to.contain("It needs the hooks in ~/others, which are hidden");
    });

    it("In ask mode a commit is not applied", async () => {
        const end = await place.run(["--mode", "ask", ...PRINT, COMMIT], {
            env: { NORTH_RESULTS: undefined },
        });
        expect(end.stdout).to.contain("Not done in git");
        expect(count()).to.equal(1);
    });

    it("A signed commit, whose key is hidden, is asked about as a real run", async () => {
        const key = path.join(place.home, ".ssh/id_ed25519");
        fs.mkdirSync(path.dirname(key), { mode: 0o700 });
        execFileSync("ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-f", key]);
        git(place.repository, "config", "gpg.format", "ssh");
        git(place.repository, "config", "user.signingKey", key);
        git(place.repository, "config", "commit.gpgSign", "true");
        const end = await place.run([...PRINT, COMMIT]);
        expect(end.stderr).to.contain("Ran only contained");
        expect(count()).to.equal(1);
    });
});
