import { execFile } from "node:child_process";
import * as fs from "node:fs";
import path from "node:path";
import { promisify } from "node:util";
import { expect } from "chai";
import { patient } from "../helpers/patience.js";
import {
    type MessagesServer,
    reply,
    startMessagesServer,
    text,
    toolUse,
} from "../helpers/vendors/messages-server.js";
import * as mistral from "../helpers/vendors/mistral-server.js";
import { answer, quiet } from "../helpers/answers.js";
import { openTerminal } from "../helpers/pseudo-terminal.js";
import { Workplace } from "../helpers/north-program.js";
import { itUnsampled } from "../helpers/sample.js";
import { installPackedNorth, pack, type PackedNorth, runNorth } from "../helpers/packed-north.js";

const run = promisify(execFile);

/** A step of the tutorial: what is typed at a shell, or a file that it has written. */
type Step =
    | { readonly kind: "type"; readonly commands: string }
    | { readonly kind: "write"; readonly file: string; readonly content: string };

/** The fences of a section: those of `sh`, and those below a line that is a file's name. */
function stepsOf(page: string, heading: string): Step[] {
    return fencesOf(page, heading).flatMap(([, file, language, content = ""]): Step[] => {
        if (file !== undefined) return [{ kind: "write", file, content }];
        return language === "sh" ? [{ kind: "type", commands: content }] : [];
    });
}

/** Each fence of a section: the file named above it, its language, its content. */
function fencesOf(page: string, heading: string): RegExpExecArray[] {
    const markdown = fs.readFileSync(page, "utf8");
    const [, section = ""] = markdown.split(`\n## ${heading}\n`);
    const [own = ""] = section.split(/^## /m);
    return [...own.matchAll(/(?:^`([^`\n]+)`:\n\n)?^```(\w+)\n([^]*?)^```$/gm)];
}

/** North and plugins as npm packs and installs them; nothing is taken from this checkout. */
describe("A packed North", function () {
    // To install, and to delete what was installed, are many thousands of files.
    this.timeout(patient(180_000));

    let packed: PackedNorth;
    let place: Workplace;
    let server: MessagesServer | mistral.MistralServer | undefined;
    let folder: string;
    let env: Record<string, string>;

    before(async () => {
        packed = await installPackedNorth();
    });
    beforeEach(() => {
        place = new Workplace({ "README.md": "four words are here\n" });
        folder = place.temporary;
        const home = path.join(place.folder, "empty-home");
        fs.mkdirSync(home);
        env = place.environment({ ...packed.environment, HOME: home });
    });
    afterEach(async () => {
        await server?.close();
        server = undefined;
        await place.remove();
    });
    after(() => packed.remove());

    async function perform(step: Step): Promise<void> {
        if (step.kind === "write") {
            const written = fs.readFileSync(path.join(folder, step.file), "utf8");
            expect(step.content, `${step.file} as \`north plugins new\` writes it`).to.equal(
                written
            );
            return;
        }
        const script = `set -e\n${step.commands}\npwd > ${path.join(place.folder, "folder")}\n`;
        await run("bash", ["-c", script], { cwd: folder, env });
        folder = fs.readFileSync(path.join(place.folder, "folder"), "utf8").trim();
    }

    async function north(args: readonly string[], more: Record<string, string> = {}) {
        const { stdout } = await runNorth(args, {
            cwd: place.repository,
            env: { ...env, ...more },
        });
        return stdout;
    }

    /** What is in the home under the name of a plugin, npm's own memory aside. */
    function leftBy(name: string): string[] {
        const names = fs.readdirSync(env.HOME ?? "", { recursive: true, encoding: "utf8" });
        return names.filter((each) => each.includes(name) && !each.startsWith(".npm/"));
    }

    function vendorOf({ url }: MessagesServer) {
        return { ANTHROPIC_API_KEY: "a-key-of-the-test", ANTHROPIC_BASE_URL: url };
    }

    /** The events of a run in print mode that the server answers. */
    async function eventsOf(messages: MessagesServer, args: readonly string[]) {
        const output = await north([...args, "--output-format", "stream-json"], vendorOf(messages));
        messages.assertDone();
        return output
            .trim()
            .split("\n")
            .map((line) => JSON.parse(line));
    }

    it("North passes its own check-up, searches, parses and runs commands", async () => {
        place.write(
            "src/area.ts",
            "export function area(side: number) {\n    return side * side;\n}\n"
        );
        expect(await north(["doctor"])).to.match(/ripgrep/i);
        server = await startMessagesServer({
            script: [
                reply(toolUse("toolu_1", "search_text", { query: "four words" })),
                reply(toolUse("toolu_2", "get_file_outline", { path: "src/area.ts" })),
                reply(toolUse("toolu_3", "shell_run", { command: "echo from-the-shell" })),
                reply(text("Done.")),
            ],
        });
        const events = await eventsOf(server, ["-p", "Look.", "--approve-shell"]);
        const finished = events.filter(({ type }) => type === "tool-call-finished");
        expect(finished.map(({ name, ok }) => [name, ok])).to.deep.equal([
            ["search_text", true],
            ["get_file_outline", true],
            ["shell_run", true],
        ]);
        const [, search, outline, shell] = server.requests.map(({ raw }) => raw.toString());
        expect(search).to.contain("README.md");
        expect(outline).to.contain("area");
        expect(shell).to.contain("from-the-shell");
    });

    it("A plugin made as the tutorial says is installed, used in a chat and uninstalled", async () => {
        const steps = stepsOf("docs/plugins.md", "Create a plugin");
        const last = steps.pop();
        expect(last?.kind === "type" && last.commands).to.match(/^north plugins uninstall /);
        expect(steps.map(({ kind }) => kind)).to.include.members(["type", "write"]);
        for (const step of steps) await perform(step);
        const compiler = path.resolve("node_modules/typescript/bin/tsc");
        const types = [compiler, "--noEmit", "--project", "jsconfig.json"];
        await run(process.execPath, types, { cwd: folder });

        expect(await north(["plugins"])).to.match(/^north-plugin-words 1\.0\.0$/m);
        expect(await north(["tools"])).to.match(/^words +none +yes +north-plugin-words$/m);
        const call = 'call words {"path": "README.md"}';
        expect(await north(["-p", call, "--model", "offline"])).to.contain('"words": 4');
        server = await startMessagesServer({
            script: [
                reply(toolUse("toolu_1", "words", { path: "README.md" })),
                reply(toolUse("toolu_2", "words", { path: "../x" })),
                reply(text("Four.")),
            ],
        });
        const events = await eventsOf(server, ["-p", "How many words?"]);
        const finished = events.filter(({ type }) => type === "tool-call-finished");
        expect(finished[0]).to.deep.include({ name: "words", ok: true, summary: "4 words" });
        expect(finished[1].error).to.deep.include({ code: "outside-repository" });
        expect(events.at(-1)).to.deep.include({ type: "result", result: "Four." });

        if (last) await perform(last);
        expect(await north(["tools"])).not.to.contain("north-plugin-words");
    });

    itUnsampled(
        "A provider, an MCP server's tool and a simple tool are installed, used in a chat and uninstalled",
        async () => {
            const plugins = ["north-plugin-mcp", "north-provider-mistral", "north-tool-example"];
            const folders = plugins.map((name) => `plugins/${name}`);
            for (const archive of await pack(folders, place.temporary)) {
                await north(["plugins", "install", `file:${archive}`]);
            }
            expect((await north(["plugins"])).match(/^north-\S+ 0\.1\.0$/gm)).to.deep.equal(
                plugins.map((name) => `${name} 0.1.0`)
            );
            place.write("data.json", '{"port": 8080}');
            const mine = {
                command: process.execPath,
                args: [path.resolve("test/fixtures/mcp/server.js")],
            };
            place.write(".mcp.json", JSON.stringify({ mcpServers: { mine } }));
            await north(["mcp", "allow", "mine", "--read-only", "--yes"]);
            expect(leftBy("north-plugin-mcp")).not.to.deep.equal([]);
            expect(await north(["tools"]))
                .to.match(/^json_value +none +yes +north-tool-example$/m)
                .and.to.match(/^mine__say +none +yes +north-plugin-mcp$/m)
                .and.to.match(/^mistral +\d+ +MISTRAL_API_KEY +north-provider-mistral$/m)
                .and.to.match(/^\/mcp .* north-plugin-mcp$/m);

            server = await mistral.startMistralServer({
                apiKey: "a-key-of-the-test",
                script: [
                    {
                        calls: [
                            ["call00001", "json_value", { path: "data.json", pointer: "/port" }],
                            ["call00002", "mine__say", { text: "hello" }],
                        ],
                    },
                    { deltas: [{ content: "8080, and hello." }] },
                ],
            });
            const vendor = { MISTRAL_API_KEY: "a-key-of-the-test", MISTRAL_BASE_URL: server.url };
            expect(await north(["-p", "Which port?", "--model", "mistral"], vendor)).to.equal(
                "8080, and hello.\n"
            );
            server.assertDone();
            const sent = server.requests[1]?.raw.toString();
            expect(sent).to.contain("8080").and.contain("said hello");

            await north(["mcp", "deny", "mine"]);
            for (const name of plugins) await north(["plugins", "uninstall", name]);
            expect(await north(["plugins"])).to.contain("No plugins installed.");
            expect(await north(["tools"])).not.to.match(/mistral|mcp|json_value/);
            expect(leftBy("north-plugin-mcp")).to.deep.equal([]);
        }
    );

    itUnsampled(
        "A stranger's plugin made of the tutorial's blocks uses every part of the contract",
        async () => {
            const blocks = fencesOf("docs/plugins.md", "Use each part of the contract");
            const plugin = path.join(place.temporary, "north-plugin-doors");
            await run("north", ["plugins", "new", "doors"], { cwd: place.temporary, env });
            const code = blocks.map(([, , , block]) => block).join("");
            fs.writeFileSync(path.join(plugin, "register.js"), code);
            const [[, , , tests = ""] = []] = fencesOf(
                "docs/plugins.md",
                "Check it against the contract"
            );
            fs.writeFileSync(path.join(plugin, "register.test.js"), tests);
            const { stdout } = await run("npm", ["test"], { cwd: plugin, env });
            expect(stdout)
                .to.match(/pass 3\b/)
                .and.to.match(/fail 0\b/);
            const [archive] = await pack([plugin], place.temporary);
            await north(["plugins", "install", `file:${archive}`]);
            const question = { question: "Is it red?" };
            server = await startMessagesServer({
                script: [
                    reply(toolUse("toolu_1", "choose_target", {})),
                    reply(toolUse("toolu_2", "paint", {})),
                    reply(toolUse("toolu_3", "read_file", { path: "keys.json" })),
                    reply(
                        toolUse("toolu_4", "read_file", { path: "README.md" }),
                        toolUse("toolu_7", "read_file", { path: "missing.txt" })
                    ),
                    reply(toolUse("toolu_5", "edit_create_file", { path: "a.txt", content: "a" })),
                    reply(toolUse("toolu_6", "second_opinion", question)),
                    reply(text("It is red.")),
                    reply(toolUse("toolu_8", "watch_clock", {})),
                    reply(text("Painted.")),
                    reply(text("Finished.")),
                ],
            });
            const terminal = openTerminal({
                command: path.join(packed.bin, "north"),
                cwd: place.repository,
                env: { ...env, ...vendorOf(server) },
                columns: 100,
                rows: 40,
            });
            try {
                await terminal.waitFor(/❯ *$/);
                terminal.type("/triage\r");
                await terminal.waitFor("Deploy where?");
                await terminal.waitFor("production");
                await quiet(terminal);
                terminal.press("2");
                await terminal.waitFor("a.txt:1: warning: Look twice.");
                await answer(terminal, "yes");
                await terminal.waitFor("exec sleep 3600");
                await answer(terminal, "yes");
                await terminal.waitFor("Triage ended: end");
                await terminal.waitFor(" · 1 job · ");
                terminal.type("/sign-in\r");
                await terminal.waitFor("? The tracker's token?");
                await quiet(terminal);
                terminal.type("o");
                await terminal.waitFor(/The tracker.s token\? *$/);
                terminal.type("a-token-of-the-test\r");
                await terminal.waitFor("The tracker's token is stored.");
                terminal.type("AKIA\r");
                await terminal.waitFor("care: This looks like a key.");
                expect(terminal.transcript())
                    .to.contain("care: Keep out.")
                    .and.to.contain("Finished.");
                terminal.press("ctrl-d");
                await terminal.waitFor("1 job is running.");
                await answer(terminal, "yes");
                await terminal.exit();
            } finally {
                await terminal.close();
            }
            server.assertDone();
            const sent = server.requests.map(({ raw }) => raw.toString());
            expect(sent[0])
                .to.contain("The build is slow.")
                .and.to.contain("#12 is open.")
                .and.to.contain("The message has 26 characters.");
            expect(sent[1]).to.contain("production");
            expect(sent[2]).to.contain('"media_type":"image/png"');
            expect(sent[3]).to.contain("care: Keep out.");
            expect(sent[4])
                .to.contain("README.md belongs to Ann.")
                .and.to.contain("Read the error.");
            expect(sent[5]).to.contain("Look twice.");
            expect(sent[6]).to.contain("Is it red?").and.not.to.contain('"second_opinion"');
            expect(sent[7]).to.contain("It is red.");
            expect(sent[8]).to.contain("ticking");
            expect(sent[9]).to.contain("Say that you are finished.");
            expect(await north(["-p", "Hello.", "--model", "parrot"])).to.equal(
                "I have heard 3 messages.\n"
            );
            const [own] = leftBy("journal.txt");
            const journal = fs.readFileSync(path.join(env.HOME ?? "", own ?? ""), "utf8");
            expect(journal.split("\n")).to.include.members([
                "turn-started",
                "entry_added",
                "turn-finished",
            ]);
            const credentials = path.join(env.HOME ?? "", ".config/north/credentials.json");
            expect(fs.statSync(credentials).mode & 0o777).to.equal(0o600);
            expect(JSON.parse(fs.readFileSync(credentials, "utf8")).apiKeys).to.deep.equal({
                "north-plugin-doors/tracker": "a-token-of-the-test",
            });
            await north(["plugins", "uninstall", "north-plugin-doors"]);
        }
    );
});
