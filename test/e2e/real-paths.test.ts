import { execFileSync } from "node:child_process";
import * as fs from "node:fs";
import path from "node:path";
import { expect } from "chai";
import { answer } from "../helpers/answers.js";
import { ClaudeWorkplace } from "../helpers/claude-workplace.js";
import { reply, text, toolUse, type ReplyBlock } from "../helpers/vendors/messages-server.js";
import { describeContained } from "../shell/containment/contained.js";

const EDITS = ["--model", "sonnet", "--accept-edits", "-p"];

describe("The built program and links in a project", () => {
    let place: ClaudeWorkplace;
    let outside: string;
    beforeEach(() => {
        place = new ClaudeWorkplace({ "a.txt": "a\n", ".vscode/settings.json": "{}\n" });
        outside = path.join(place.folder, "outside");
        fs.mkdirSync(outside);
    });
    afterEach(() => place.remove());

    const link = (target: string, name: string) => fs.symlinkSync(target, place.place(name));
    const create = (id: string, file: string) =>
        toolUse(id, "edit_create_file", { path: file, content: "evil\n" });
    const run = (id: string, command: string) => toolUse(id, "shell_run", { command });

    /** One turn in print mode with automatic edits, of these calls one reply after the other. */
    async function turn(...replies: readonly ReplyBlock[]) {
        await place.serve([...replies.map((block) => reply(block)), reply(text("Done."))]);
        const end = await place.run([...EDITS, "Go on"]);
        expect(end.code, end.stderr).to.equal(0);
        return end.stderr;
    }

    it("With automatic edits, nothing that runs later is written through a link unasked", async () => {
        for (const [target, name] of [
            [".vscode", "editor"],
            [".github/workflows", "ci"],
            [".envrc", "notes.txt"],
            ["cfg", ".husky"],
        ] as const) {
            link(target, name);
        }
        fs.mkdirSync(place.place("cfg"));
        const before = place.files();
        const batch = ["editor/launch.json", "cfg/setup"].map((file) => ({
            toolName: "edit_create_file",
            args: { path: file, content: "evil\n" },
        }));
        const said = await turn(
            create("c1", "editor/tasks.json"),
            create("c2", "ci/evil.yml"),
            create("c3", "notes.txt"),
            toolUse("c4", "edit_apply_batch", { edits: batch }),
            text('<NORTH_FILE path="editor/streamed.json">\nevil\n</NORTH_FILE>\n')
        );
        for (const name of [
            "editor/tasks.json, which is .vscode/tasks.json",
            "ci/evil.yml, which is .github/workflows/evil.yml",
            "notes.txt, which is .envrc",
            "cfg/setup, also .husky/setup",
            "editor/streamed.json, which is .vscode/streamed.json",
        ]) {
            expect(said).to.contain(name);
        }
        expect(place.files()).to.deep.equal(before);
    });

    it("A question names both paths at every size, and offers no lasting yes", async () => {
        link(".vscode", "docs");
        for (const [columns, rows] of [
            [80, 24],
            [40, 20],
        ] as const) {
            await place.serve([reply(create("c1", "docs/tasks.json")), reply(text("Done."))]);
            const chat = await place.chat(["--model", "sonnet"], { columns, rows });
            chat.type("Go on\r");
            await chat.waitFor(/› n no/);
            const screen = chat.screen().replace(/\s+/g, " ");
            expect(screen).to.contain("Create docs/tasks.json, which is .vscode/tasks.json?");
            expect(screen).to.contain(".vscode/tasks.json controls what other programs run.");
            expect(screen).not.to.contain("s edits");
            await answer(chat, "yes");
            await chat.waitFor(/✔ Created docs\/tasks\.json, which is\s+\.vscode\/tasks\.json/);
            chat.type("/quit\r");
            await chat.exit();
            const undone = await place.run(["undo", "--force"]);
            expect(undone.stdout).to.contain("docs/tasks.json, which is .vscode/tasks.json");
            expect(fs.existsSync(place.place(".vscode/tasks.json"))).to.equal(false);
        }
    });

    it("A rescue writes nothing through a link that has taken the place of a folder", async () => {
        place.write("cfg/f", "mine\n");
        await place.serve([reply(run("c1", "rm -r cfg")), reply(text("Done."))]);
        const approved = ["--model", "sonnet", "--approve-shell", "--contain", "off", "-p"];
        const { code, stderr } = await place.run([...approved, "Go on"]);
        expect(code, stderr).to.equal(0);
        link(outside, "cfg");
        const refused = await place.run(["rescue", "restore"]);
        expect(refused.code).to.equal(1);
        expect(refused.stderr.replace(/\s+/g, " ")).to.contain(
            `a link leads from ${place.place("cfg/f")} to ${outside}/f now.`
        );
        expect(fs.readdirSync(outside)).to.deep.equal([]);
        fs.unlinkSync(place.place("cfg"));
        const restored = await place.run(["rescue", "restore"]);
        expect(restored.stdout).to.equal(`Restored:\n${place.place("cfg/f")}\n`);
        expect(fs.readFileSync(place.place("cfg/f"), "utf8")).to.equal("mine\n");
    });

    it("A replay and a bisection see the past, and neither read nor write where a link leads now", async () => {
        place.write("d/f", "one\n");
        const edit = { path: "d/f", old: "one", new: "two" };
        await turn(toolUse("c1", "edit_replace_exact", edit), create("c2", "d/g"));
        fs.rmSync(place.place("d"), { recursive: true });
        link(outside, "d");
        for (const file of ["f", "g"]) fs.writeFileSync(path.join(outside, file), "theirs\n");
        const [id = ""] = place.conversationIds();
        const replayed = await place.run(["replay", id]);
        expect(replayed.code, replayed.stderr).to.equal(0);
        expect(replayed.stdout).to.contain("No difference: 1 turn, 2 calls repeated.");
        const bisected = await place.run(["bisect", id, "--run", "! grep -q -e two -e theirs d/f"]);
        expect(bisected.stdout, bisected.stderr).to.contain("Turn 1");
        for (const file of ["f", "g"]) {
            expect(fs.readFileSync(path.join(outside, file), "utf8")).to.equal("theirs\n");
        }
        expect(fs.readdirSync(outside).sort()).to.deep.equal(["f", "g"]);
    });

    it("north blame shows no file that a link leads to outside, and still one inside", async () => {
        fs.writeFileSync(path.join(outside, "f"), "theirs\n");
        link(outside, "d");
        link(path.join(outside, "f"), "g");
        fs.mkdirSync(place.place("src"));
        place.write("src/a.txt", "mine\n");
        link("src", "inside");
        for (const file of ["d/f", "g", place.place("d/f")]) {
            const { code, stdout, stderr } = await place.run(["blame", file]);
            expect(code, file).to.equal(1);
            expect(stdout + stderr).not.to.contain("theirs");
            expect(stderr).to.contain("is outside the repository.");
        }
        execFileSync("git", ["init", "-q", outside]);
        expect((await place.run(["blame", "d/f"])).code).to.equal(1);
        expect((await place.run(["blame", "inside/a.txt"])).stdout).to.contain("mine");
        link(place.repository, "../way");
        const far = await place.run(["blame", "way/src/a.txt"], { cwd: place.folder });
        expect(far.stdout).to.contain("mine");
    });
});

describeContained("The built program and links that a contained command makes", () => {
    let place: ClaudeWorkplace;
    beforeEach(() => {
        place = new ClaudeWorkplace({ ".vscode/settings.json": "{}\n", ".gitignore": "x.sh\n" });
        place.configure({ containment: "auto" });
    });
    afterEach(() => place.remove());

    it("A command's link cannot disguise a file that runs later, neither its own nor that of a later edit", async () => {
        const run = (id: string, command: string) => toolUse(id, "shell_run", { command });
        const edit = { path: "x/tasks.json", content: "evil\n" };
        await place.serve([
            reply(run("c1", "ln -s .vscode x")),
            reply(toolUse("c2", "edit_create_file", edit)),
            reply(run("c3", "echo evil >x/launch.json")),
            reply(run("c4", "mkdir cfg; echo evil >cfg/tasks.json; ln -s cfg .zed")),
            reply(run("c5", "mkdir real; echo evil >real/pre-commit; ln -s real .husky")),
            reply(text("Done.")),
        ]);
        const { stderr } = await place.run([...EDITS, "Go on"]);
        expect(fs.readlinkSync(place.place("x"))).to.equal(".vscode");
        expect(fs.readdirSync(place.place(".vscode"))).to.deep.equal(["settings.json"]);
        for (const name of [".zed", ".husky", "cfg", "real"]) {
            expect(fs.existsSync(place.place(name)), name).to.equal(false);
        }
        expect(stderr).to.contain("x/tasks.json, which is .vscode/tasks.json");
        expect(stderr).to.contain("Denied: .vscode/launch.json");
        expect(stderr).to.contain("cfg/tasks.json, also .zed/tasks.json");
    });

    it("The review of ignored files and dependencies lists what would run, and shows all of it on v", async () => {
        const command = [
            "mkdir -p node_modules/.bin node_modules/p",
            "echo 'module.exports = 1' >node_modules/p/index.js",
            "ln -s ../p/index.js node_modules/.bin/p",
            "echo 'rm -rf /' >x.sh",
            "printf '#!/bin/sh\\n# \\0\\nrm -rf /\\n' >run.sh",
        ];
        const ignored = "node_modules/\nx.sh\n";
        fs.writeFileSync(place.place(".gitignore"), ignored);
        for (const [columns, rows] of [
            [80, 24],
            [40, 30],
        ] as const) {
            await place.serve([
                reply(toolUse("c1", "shell_run", { command: command.join("; ") })),
                reply(text("Done.")),
            ]);
            const chat = await place.chat(["--model", "sonnet"], {
                columns,
                rows,
                env: { PAGER: "cat" },
            });
            chat.type("Go on\r");
            await chat.waitFor(/› v view all/);
            expect(chat.screen()).to.match(/y yes, .*3 files? not shown/);
            expect(chat.screen()).not.to.contain("s edits");
            expect(chat.screen()).to.contain(".bin/p: new, a link to ../p/index.js");
            await answer(chat, "view");
            await chat.waitFor(/v view all\s*$/m);
            const whole = chat.transcript();
            for (const shown of ["module.exports = 1", "+rm -rf /", "a link to ../p/index.js"]) {
                expect(whole).to.contain(shown);
            }
            expect(whole).to.contain("# ^@");
            await answer(chat, "no");
            await chat.waitFor(/Done\./);
            chat.type("/quit\r");
            await chat.exit();
        }
    });
});
