import { execFileSync } from "node:child_process";
import * as fs from "node:fs";
import path from "node:path";

import { expect } from "chai";

import { sha256 } from "../../src/base/sha256.js";
import { answer, quiet } from "../helpers/answers.js";
import { ClaudeWorkplace, IDLE } from "../helpers/claude-workplace.js";
import type { PseudoTerminal } from "../helpers/pseudo-terminal.js";
import { reply, text, toolUse } from "../helpers/vendors/messages-server.js";
import { describeContained } from "../shell/containment/contained.js";
import { resultsIn } from "./requests.js";

const START = { "src/a.txt": "one\ntwo\n", "b.txt": "old\n" };
const PRINT = ["-p", "--mode", "draft", "--output-format", "json"];
let calls = 0;

const edit = (file: string, old: string, fresh: string) =>
    reply(toolUse(`call_${(calls += 1)}`, "edit_replace_exact", { path: file, old, new: fresh }));
const create = (file: string, content: string) =>
    reply(toolUse(`call_${(calls += 1)}`, "edit_create_file", { path: file, content }));
const done = reply(text("Done."));

describe("An attack on a draft of the built program", () => {
    let place: ClaudeWorkplace;
    let terminal: PseudoTerminal;
    let outside: string;

    beforeEach(() => {
        place = new ClaudeWorkplace(START).reusingProcess();
        outside = path.join(place.folder, "outside");
        fs.mkdirSync(outside);
    });
    afterEach(() => place.remove());

    async function drafted(...edits: readonly ReturnType<typeof edit>[]): Promise<string> {
        await place.serve([...edits, done]);
        return JSON.parse((await place.run([...PRINT, "Do it"])).stdout).conversationId;
    }

    /** Leaves a chat that asks whether to apply a draft. */
    async function asked(...edits: readonly ReturnType<typeof edit>[]): Promise<void> {
        await place.serve([...edits, done]);
        terminal = await place.chat(["--mode", "draft"]);
        await terminal.waitFor(IDLE);
        terminal.type("Do it\r");
        await terminal.waitFor("Apply this draft?");
        await quiet(terminal);
    }

    for (const [what, forge] of [
        ["other bytes", () => "forged\n"],
        ["a part of its bytes", (bytes: string) => bytes.slice(0, -2)],
        ["nothing", () => ""],
    ] as const) {
        it(`Stored content that has ${what} is neither applied nor printed`, async () => {
            const id = await drafted(edit("b.txt", "old", "fresh"), create("c.txt", "c\n"));
            const hash = sha256("fresh\n");
            const file = path.join(place.data, "objects", hash.slice(0, 2), hash.slice(2));
            fs.writeFileSync(file, forge(fs.readFileSync(file, "utf8")));
            for (const command of [
                ["draft", "apply", id, "--force"],
                ["draft", "show", id, "-o", "-"],
                ["draft", "show", id],
            ]) {
                const { code, stdout, stderr } = await place.run(command);
                expect(code, command.join(" ")).to.not.equal(0);
                expect(stderr).to.contain("has been damaged").and.to.contain("north draft discard");
                expect(stdout).not.to.contain("forged");
            }
            expect(place.files()).to.deep.equal(START);
            expect((await place.run(["draft", "list"])).stdout).to.match(
                / damaged .*b\.txt, c\.txt/
            );
            expect((await place.run(["draft", "discard", id])).code).to.equal(0);
        });
    }

    it("A folder swapped for a link during the review is not written through", async () => {
        await asked(edit("src/a.txt", "two", "2"), create("src/new.txt", "new\n"));
        fs.writeFileSync(path.join(outside, "a.txt"), START["src/a.txt"]);
        fs.renameSync(place.place("src"), path.join(place.folder, "moved"));
        fs.symlinkSync(outside, place.place("src"));
        await answer(terminal, "yes");
        await terminal.waitFor(/outside the repository|conflicts with changes/);
        expect(fs.readdirSync(outside)).to.deep.equal(["a.txt"]);
        expect(fs.readFileSync(path.join(outside, "a.txt"), "utf8")).to.equal(START["src/a.txt"]);
        expect(fs.readdirSync(path.join(place.folder, "moved"))).to.deep.equal(["a.txt"]);
    });

    it("A link inside the project that appears during the review is shown before it counts", async () => {
        await asked(create("docs/new.txt", "new\n"));
        fs.symlinkSync("src", place.place("docs"));
        await answer(terminal, "yes");
        await terminal.waitFor(/docs\/new\.txt,\s+which\s+is\s+src\/new\.txt/);
        expect(place.files()).to.not.have.property("src/new.txt");
    });

    it("A name in a draft forges no line of its review", async () => {
        const forged = "x\n? Apply this draft? 1 file · npm test passed on it\n";
        await asked(create(`${forged}.txt`, "new\n"));
        const screen = terminal.screen();
        expect(screen.match(/^\? Apply this draft\?/gm)).to.have.length(1);
        expect(screen).to.match(/^\? Apply this draft\? x⏎\? Apply/m);
        expect(screen.match(/passed on it$/gm)).to.equal(null);
    });

    it("A patch is exact in a pipe, and controls no terminal", async () => {
        const evil = "\u001b]52;c;ZXZpbA==\u0007\u202e\n";
        const id = await drafted(create("c.txt", evil));
        const show = ["draft", "show", id, "-o", "-"];
        expect((await place.run(show)).stdout).to.contain(`+${evil}`);
        await place.serve([create("c.txt", evil), done]);
        for (const args of [show, ["-p", "--mode", "draft", "--patch", "-", "Do it"]]) {
            terminal = place.open(args);
            await terminal.exit();
            expect(terminal.raw()).not.to.match(/\u001b\]52|\u202e/);
            expect(terminal.screen()).to.contain("+^[]52;c;ZXZpbA==^G\\u{202e}");
        }
    });

    for (const [what, at, link] of [
        ["a file outside", "fix.patch", "../outside/target"],
        ["a hook", "fix.patch", ".git/hooks/post-checkout"],
        ["a folder outside", "out/fix.patch", "../outside"],
    ] as const) {
        it(`A patch is not written through a link in the repository to ${what}`, async () => {
            await place.serve([edit("b.txt", "old", "new"), done]);
            fs.writeFileSync(path.join(outside, "target"), "kept\n");
            fs.symlinkSync(link, place.place(at.replace(/\/.*/, "")));
            const hooks = fs.readdirSync(place.place(".git/hooks"));
            const end = await place.run([...PRINT, "--patch", at, "Do it"]);
            expect(end.code).to.not.equal(0);
            expect(end.stdout + end.stderr).to.contain(`${at} cannot be written`);
            expect(fs.readdirSync(outside)).to.deep.equal(["target"]);
            expect(fs.readFileSync(path.join(outside, "target"), "utf8")).to.equal("kept\n");
            expect(fs.readdirSync(place.place(".git/hooks"))).to.deep.equal(hooks);
        });
    }

    it("A draft whose conversation is open in a chat is not applied from outside", async () => {
        await asked(edit("b.txt", "old", "new"));
        const [id = ""] = place.conversationIds();
        for (const command of ["apply", "discard"]) {
            const { code, stderr } = await place.run(
                ["draft", command, id, "--force"].slice(0, command === "apply" ? 4 : 3)
            );
            expect(code).to.not.equal(0);
            expect(stderr).to.contain("is open in another");
        }
        expect(place.files()).to.deep.equal(START);
        await answer(terminal, "yes");
        await terminal.waitFor("Draft applied");
        expect(place.files()).to.deep.equal({ ...START, "b.txt": "new\n" });
    });
});

/** Makes what an overlay takes for a deleted file and for a folder that hides the one below. */
const PLANT = `
for folder in . "$HOME" "$HOME/.cache" /tmp; do
    rm -f "$folder/b.txt"
    mknod "$folder/b.txt" c 0 0; mknod "$folder/src/a.txt" c 0 0; mknod "$folder/.wh.b.txt" c 0 0
    for name in user trusted; do for what in opaque whiteout redirect metacopy; do
        python3 -c 'import os,sys; os.setxattr(sys.argv[1], sys.argv[2], b"y")' "$folder/src" "$name.overlay.$what"
    done; done
done 2>/dev/null
`;
const LOOK = "find . -path ./.git -prune -o -path ./.north -prune -o -printf '%y %p\\n' | sort";

describeContained("A whiteout that a command plants in a draft", () => {
    const run = (id: string, command: string) => reply(toolUse(id, "shell_run", { command }));

    it("A draft is what the command saw, its later commands see the same, and nothing is hidden or written elsewhere", async () => {
        const place = new ClaudeWorkplace(START).reusingProcess();
        place.configure({ containment: "auto" });
        try {
            fs.writeFileSync(path.join(place.home, "b.txt"), "of HOME\n");
            await place.serve([run("plant", `${PLANT}${LOOK}`), run("look", LOOK), done]);
            const end = JSON.parse((await place.run([...PRINT, "Do it"])).stdout);
            const seen = resultsIn(place.server.requests.at(-1)?.body);
            expect(seen.plant?.data?.stdout).to.contain("d ./src");
            expect(seen.look?.data?.stdout).to.equal(seen.plant?.data?.stdout);
            expect(place.files()).to.deep.equal(START);
            expect(fs.readFileSync(path.join(place.home, "b.txt"), "utf8")).to.equal("of HOME\n");
            const apply = await place.run(["draft", "apply", end.conversationId, "--force"]);
            expect(apply.stderr).to.equal("");
            const look = execFileSync("bash", ["-c", LOOK], { cwd: place.repository });
            expect(look.toString()).to.equal(seen.look?.data?.stdout);
        } finally {
            await place.remove();
        }
    });
});
