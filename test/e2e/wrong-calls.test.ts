import * as fs from "node:fs";
import path from "node:path";
import { expect } from "chai";
import { Workplace } from "../helpers/north-program.js";

/** As a shell passes them; `ID` and files do not exist. */
const CALLS: readonly (readonly string[])[] = [
    ["chaat"],
    ["fix", "the", "bug"],
    ["--modle", "haiku"],
    ["chat", "--model"],
    ["chat", "--mode", "yolo"],
    ["-p"],
    ["-p", "fix", "it"],
    ["-p", "hi", "--model", "gpt-99-mega"],
    ["-p", "hi", "--model", "openai/gpt-5.1"],
    ["-p", "hi", "--max-turns", "0"],
    ["-p", "hi", "--max-turns", "many"],
    ["-p", "hi", "--max-cost", "cheap"],
    ["-p", "hi", "--max-cost", "-1"],
    ["-p", "hi", "--timeout", "soon"],
    ["-p", "hi", "--output-format", "yaml"],
    ["-p", "hi", "--contain", "maybe"],
    ["-p", "hi", "--path", "/nowhere"],
    ["-p", "hi", "--file", "missing.txt"],
    ["-p", "hi", "--json-schema", "missing.json"],
    ["-p", "hi", "-r", "zzzzzz"],
    ["-p", "hi", "-c"],
    ["-r", "-p", "hi"],
    ["resume", "zzz"],
    ["resume", "abcdef"],
    ["resume", "--last"],
    ["conversations", "shwo"],
    ["conversations", "show"],
    ["conversations", "show", "abcdef"],
    ["conversations", "export", "abcdef", "--format", "pdf"],
    ["conversations", "delete", "abcdef"],
    ["costs", "--sinc", "7d"],
    ["costs", "--since", "yesterday"],
    ["costs", "--by", "colour"],
    ["allowlist", "add"],
    ["allowlist", "add", "npm test", "--cwd", "nowhere"],
    ["allowlist", "add", " "],
    ["allowlist", "try", "npm test", "--cwd", "nowhere"],
    ["allowlist", "remove", "not there"],
    ["allowlist", "try"],
    ["login", "a", "b"],
    ["login", "nobody"],
    ["logout", "nobody"],
    ["models", "sonnet"],
    ["undo", "--turns", "x"],
    ["undo", "--turns", "0"],
    ["drop", "nine"],
    ["blame"],
    ["blame", "missing.txt"],
    ["blame", "../outside.txt"],
    ["bisect"],
    ["replay", "abcdef"],
    ["rescue", "--list", "x"],
    ["search"],
    ["completion", "tcsh"],
    ["update", "now"],
    ["doctor", "--fix"],
    ["plugins", "instal"],
    ["plugins", "install"],
];

/** One line that says what is wrong, and at most a few that say what to do. */
const MAX_LINES = 5;

describe("Wrong calls of `north`", () => {
    let place: Workplace;
    const listing: string[] = [];

    beforeEach(() => {
        place = new Workplace().reusingProcess();
    });
    afterEach(() => place.remove());
    after(() => {
        fs.mkdirSync("build", { recursive: true });
        fs.writeFileSync(path.join("build", "wrong-calls.txt"), listing.join("\n"));
    });

    it("What follows --resume is reported as an ID, whatever comes before", async () => {
        const { stderr } = await place.run(["-p", "hi", "-r", "zzzzzz"]);
        expect(stderr).to.match(/^There is no conversation zzzzzz\.\n/);
    });

    it("Without an ID after --resume the words that follow are the prompt, not an ID", async () => {
        const { stderr } = await place.run(["-r", "-p", "hi"]);
        expect(stderr).to.match(/^Choosing a conversation needs a terminal\.\n/);
    });

    it("Tasks that fail for lack of a key say what to do, once", async () => {
        const task = (id: string) => JSON.stringify({ id, prompt: "hi" });
        place.write("tasks.jsonl", `${task("a")}\n${task("b")}\n`);
        const { code, stderr } = await place.run(["run", "tasks.jsonl", "--jobs", "1"]);
        expect(code).to.equal(1);
        expect(stderr).to.contain("a: There is no API key").and.contain("b: There is no API key");
        expect(stderr.split("ANTHROPIC_API_KEY")).to.have.length(2);
    });

    it("north mcp names the plugin that brings it", async () => {
        const { stderr } = await place.run(["mcp", "add", "files"]);
        expect(stderr).to.match(/^There is no command `north mcp add files`\.\n.*north-plugin-mcp/);
    });

    for (const args of CALLS) {
        const call = ["north", ...args].join(" ");
        it(`\`${call}\` is answered in a few lines with what to do, and exits with 1 or 2`, async () => {
            const { code, stdout, stderr } = await place.run(args);
            listing.push(`$ ${call}\n${stdout}${stderr}[${code}]\n`);
            expect(code).to.be.oneOf([1, 2]);
            expect(stdout).to.equal("");
            const lines = stderr.trimEnd().split("\n");
            expect(lines.length).to.be.within(1, MAX_LINES);
            expect(lines[0]).to.match(/^\S.*[.?]$/);
            expect(stderr).not.to.match(/^ +at |Error:|undefined|\[object/m);
        });
    }
});
