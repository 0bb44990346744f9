import { execFileSync } from "node:child_process";
import * as fs from "node:fs";
import path from "node:path";
import { expect } from "chai";
import { answer } from "../helpers/answers.js";
import { Workplace } from "../helpers/north-program.js";

const SCHEMAS = "https://agent-plugins.org/schemas/1.0.0";
const SKILL = "---\nname: release\ndescription: How to release\n---\n\nTag it.\n";

/** In the shape of https://agent-plugins.org/specification, with what Claude Code's plugins add. */
const FILES: Readonly<Record<string, string>> = {
    "plugin.json": JSON.stringify({
        $schema: `${SCHEMAS}/plugin.schema.json`,
        ...{ name: "kit", version: "1.0.0", author: { name: "Ann" }, colour: "red" },
    }),
    "skills/release/SKILL.md": SKILL,
    "skills/release/scripts/tag.sh": "touch ran\n",
    "skills/other/SKILL.md": SKILL,
    "commands/fix.md": "---\ndescription: Fixes\n---\nFix $ARGUMENTS.\n",
    "agents/looker.md": "---\nname: looker\ndescription: Looks\n---\nLook.\n",
    "hooks/hooks.json": "{}",
    "package.json": JSON.stringify({ scripts: { preinstall: "touch ran", install: "touch ran" } }),
    "mcp.json": JSON.stringify({
        $schema: `${SCHEMAS}/mcp.schema.json`,
        mcpServers: {
            docs: { type: "streamable-http", url: "https://docs.example.org/mcp" },
            own: { type: "stdio", command: "${PLUGIN_ROOT}/run" },
            bad: { type: "stdio" },
        },
    }),
};

describe("Agent Plugins", () => {
    let place: Workplace;
    let folder: string;
    beforeEach(() => {
        place = new Workplace().reusingProcess();
        folder = path.join(place.folder, "kit");
        for (const [name, content] of Object.entries(FILES)) write(name, content);
    });
    afterEach(() => place.remove());

    function write(name: string, content: string): void {
        fs.mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
        fs.writeFileSync(path.join(folder, name), content);
    }
    const config = (name: string) => path.join(place.home, ".config/north", name);
    const isThere = (name: string) => fs.existsSync(config(name));
    const install = (...words: string[]) => place.run(["plugins", "install", ...words]);
    const hasRun = () => execFileSync("find", [place.folder, "-name", "ran"]).toString() !== "";

    it("A folder's skills, commands, agents and servers are installed, and the rest is skipped with the reason", async () => {
        const { code, stdout } = await install(folder, "--force", "--json");
        expect(code, stdout).to.equal(0);
        const { taken, left } = JSON.parse(stdout.slice(stdout.indexOf("{")));
        expect(taken.map(({ what }: { what: string }) => what)).to.deep.equal([
            ...["skills/release/SKILL.md", "skills/release/scripts/tag.sh"],
            ...["commands/fix.md", "agents/looker.md", "mcp.json: mcpServers.docs"],
        ]);
        const reasons = left.map(
            ({ what, reason }: { what: string; reason: string }) => `${what}: ${reason}`
        );
        expect(reasons).to.deep.equal([
            "colour: North has no such setting",
            "skills/other: its folder and its `name` differ",
            "mcp.json: mcpServers.own: it would run a program of the plugin, and North installs no code",
            "mcp.json: mcpServers.bad: it has neither a command nor the URL of an HTTP server",
            "hooks: hooks run commands of the plugin, and North installs no code",
        ]);
        expect(fs.readFileSync(config("skills/release/SKILL.md"), "utf8")).to.equal(SKILL);
        expect(JSON.parse(fs.readFileSync(config("mcp.json"), "utf8"))).to.deep.equal({
            mcpServers: { docs: { type: "http", url: "https://docs.example.org/mcp" } },
        });
        expect(hasRun()).to.equal(false);
        const listed = await place.run(["tools"]);
        expect(listed.stdout).to.contain("/kit:fix").and.contain("looker");
    });

    it("Servers in Claude Code's plugin.json are installed as those in mcp.json", async () => {
        fs.rmSync(path.join(folder, "plugin.json"));
        fs.rmSync(path.join(folder, "mcp.json"));
        const docs = { type: "http", url: "https://docs.example.org/mcp" };
        const mcpServers = { docs, own: { command: "${CLAUDE_PLUGIN_ROOT}/run" } };
        write(".claude-plugin/plugin.json", JSON.stringify({ name: "kit", mcpServers }));
        const { stdout } = await install(folder, "--force", "--json");
        expect(JSON.parse(fs.readFileSync(config("mcp.json"), "utf8"))).to.deep.equal({
            mcpServers: { docs },
        });
        expect(stdout).to.contain("mcpServers.own").and.not.contain("no such setting");
    });

    it("Nothing is written before a yes, nor over a file of the user's", async () => {
        const asked = await install(folder);
        expect(asked.code).to.equal(2);
        expect(asked.stderr).to.contain("Add --force");
        const shown = await install(folder, "--dry-run");
        expect(shown.stdout).to.contain("North imports 5 settings");
        expect(["skills", "commands", "agents", "mcp.json"].some(isThere)).to.equal(false);
        fs.mkdirSync(config("commands/kit"), { recursive: true });
        fs.writeFileSync(config("commands/kit/fix.md"), "mine\n");
        const installed = await install(folder, "--force");
        expect(installed.stdout).to.contain("~/.config/north/commands/kit/fix.md is another file");
        expect(fs.readFileSync(config("commands/kit/fix.md"), "utf8")).to.equal("mine\n");
    });

    it("A packed plugin, also Claude Code's, is read without running anything of it", async () => {
        fs.rmSync(path.join(folder, "plugin.json"));
        write(".claude-plugin/plugin.json", '{"name": "kit"}');
        const archive = path.join(place.folder, "kit.tgz");
        execFileSync("tar", ["-czf", archive, "-C", place.folder, "kit"]);
        const end = await install(archive, "--force");
        expect(end.code, end.stderr).to.equal(0);
        expect(isThere("agents/kit/looker.md")).to.equal(true);
        expect(hasRun()).to.equal(false);
    });

    it("A packed plugin is unpacked by the machine's tar, not by a program of the project", async () => {
        const archive = path.join(place.folder, "kit.tgz");
        execFileSync("tar", ["-czf", archive, "-C", place.folder, "kit"]);
        place.write("node_modules/.bin/tar", `#!/bin/sh\ntouch ${place.folder}/ran\nexit 1\n`);
        fs.chmodSync(place.place("node_modules/.bin/tar"), 0o755);
        const PATH = `${place.place("node_modules/.bin")}:${process.env.PATH}`;
        const words = ["plugins", "install", archive, "--force"];
        const { code, stdout } = await place.run(words, { env: { PATH } });
        expect({ code, hasRun: hasRun() }, stdout).to.deep.equal({ code: 0, hasRun: false });
    });

    it("Links in a plugin are not followed, and a manifest of another version is refused", async () => {
        write("../secret/SKILL.md", SKILL);
        fs.rmSync(path.join(folder, "skills"), { recursive: true });
        fs.symlinkSync(path.join(place.folder, "secret"), path.join(folder, "skills"));
        fs.symlinkSync("/etc/passwd", path.join(folder, "commands/passwd.md"));
        const shown = await install(folder, "--dry-run");
        expect(shown.stdout).to.contain("it is a link, or not text of at most 1 MB");
        expect(shown.stdout).not.to.contain("SKILL.md");
        write(
            "plugin.json",
            `{"name": "kit", "$schema": "${SCHEMAS.replace("1.0", "2.0")}/plugin.schema.json"}`
        );
        const refused = await install(folder);
        expect(refused.code).to.equal(1);
        expect(refused.stderr).to.contain("North reads Agent Plugins 1.x.");
        write("plugin.json", '{"name": "../../x"}');
        expect((await install(folder)).stderr).to.contain("plugin.json has no valid name.");
    });

    it("A package that is not a plugin is refused, and not reported as a bug", async () => {
        fs.rmSync(path.join(folder, "plugin.json"));
        write("package.json", '{"name": "kit", "version": "1.0.0"}');
        const { code, stderr } = await install(`file:${folder}`);
        expect(code).not.to.equal(0);
        expect(stderr).to.contain("plugin is invalid").and.not.contain("bug");
    });

    const uninstall = (...words: string[]) => place.run(["plugins", "uninstall", ...words]);
    const textOf = (name: string) => fs.readFileSync(config(name), "utf8");
    function owned(): Record<string, string> {
        const names = fs.readdirSync(config("."), { recursive: true, encoding: "utf8" });
        return Object.fromEntries(
            names
                .filter((name) => name !== "agent-plugins.json")
                .map((name) => [name, fs.statSync(config(name)).isFile() ? textOf(name) : "folder"])
        );
    }

    it("Uninstalling an Agent Plugin removes, after a yes, all that its installation wrote and nothing else", async () => {
        fs.mkdirSync(config("skills/mine"), { recursive: true });
        fs.writeFileSync(config("skills/mine/SKILL.md"), SKILL);
        const own = { mcpServers: { mine: { command: "mine" } } };
        fs.writeFileSync(config("mcp.json"), `${JSON.stringify(own, null, 2)}\n`);
        const before = owned();
        await install(folder, "--force");
        const after = owned();
        expect(after).not.to.deep.equal(before);
        expect((await place.run(["plugins"])).stdout).to.equal("kit 1.0.0 (Agent Plugin)\n");

        const refused = await uninstall("kit");
        expect(refused.code).to.equal(2);
        expect(refused.stderr).to.contain("Add --force");
        for (const meaning of ["no", "yes"] as const) {
            expect(owned()).to.deep.equal(after);
            const terminal = place.open(["plugins", "uninstall", "kit"]);
            await answer(terminal, meaning, { takesReason: false });
            await terminal.waitFor(meaning === "no" ? "Nothing changed." : "Uninstalled kit.");
        }
        expect(owned()).to.deep.equal(before);
        expect((await place.run(["plugins"])).stdout).to.equal("No plugins installed.\n");
    });

    it("Uninstalling an Agent Plugin keeps and names what the user changed since", async () => {
        await install(folder, "--force");
        fs.appendFileSync(config("agents/kit/looker.md"), "More.\n");
        const servers = textOf("mcp.json").replace("docs.example.org", "docs.example.com");
        fs.writeFileSync(config("mcp.json"), servers);
        fs.rmSync(config("skills/release/SKILL.md"));
        // A link of the user's own to the same content is no file of the plugin.
        fs.renameSync(config("commands/kit/fix.md"), path.join(place.home, "fix.md"));
        fs.symlinkSync(path.join(place.home, "fix.md"), config("commands/kit/fix.md"));
        const { code, stdout } = await uninstall("kit", "--force", "--json");
        expect(code, stdout).to.equal(0);
        const [{ removed, kept, applied }] = JSON.parse(
            stdout.slice(stdout.indexOf('{\n  "agentPlugins"'))
        ).agentPlugins;
        expect(applied).to.equal(true);
        expect(removed).to.deep.equal(["skills/release/scripts/tag.sh"]);
        expect(kept).to.deep.equal([
            { what: "skills/release/SKILL.md", reason: "it is gone" },
            { what: "commands/kit/fix.md", reason: "you changed it since" },
            { what: "agents/kit/looker.md", reason: "you changed it since" },
            { what: "mcp.json: mcpServers.docs", reason: "you changed it since" },
        ]);
        expect(
            ["skills", "agents/kit/looker.md", "commands/kit/fix.md"].map(isThere)
        ).to.deep.equal([false, true, true]);
        expect(textOf("mcp.json")).to.equal(servers);
    });

    it("A name that is neither a package nor an Agent Plugin is refused, and the near one is named", async () => {
        await install(folder, "--force");
        for (const word of ["uninstall", "remove"]) {
            const { code, stderr } = await place.run(["plugins", word, "kitt", "--force"]);
            expect(code).to.equal(1);
            expect(stderr)
                .to.contain("kitt is neither an installed package nor an installed Agent Plugin.")
                .and.contain("Did you mean kit?");
        }
        expect(isThere("agents/kit/looker.md")).to.equal(true);
    });

    it("A newer version of an Agent Plugin replaces what nobody changed, and uninstalls as a whole", async () => {
        await install(folder, "--force");
        fs.appendFileSync(config("agents/kit/looker.md"), "More.\n");
        write("plugin.json", '{"name": "kit", "version": "2.0.0"}');
        write("commands/fix.md", "Fix more.\n");
        write("agents/looker.md", "Look more.\n");
        write("agents/new.md", "New.\n");
        write("mcp.json", '{"mcpServers": {"docs": {"url": "https://new.example.org/mcp"}}}');
        const { stdout } = await install(folder, "--force");
        expect(stdout).to.contain("~/.config/north/agents/kit/looker.md is another file");
        expect(textOf("commands/kit/fix.md")).to.equal("Fix more.\n");
        expect(textOf("mcp.json")).to.contain("new.example.org");
        expect((await place.run(["plugins"])).stdout).to.contain("kit 2.0.0");
        await uninstall("kit", "--force");
        expect(Object.keys(owned()).sort()).to.deep.equal([
            "agents",
            "agents/kit",
            "agents/kit/looker.md",
            "config.json",
            "mcp.json",
        ]);
    });

    it("A record of installed files that leads outside the config folder is refused", async () => {
        const victim = path.join(place.home, "victim");
        fs.writeFileSync(victim, "");
        const hash = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
        fs.mkdirSync(config("skills"), { recursive: true });
        for (const name of ["../../victim", "skills/../../../victim", "/victim", "config.json"]) {
            const plugins = { kit: { files: { [name]: hash }, servers: {} } };
            fs.writeFileSync(config("agent-plugins.json"), JSON.stringify({ plugins }));
            const { code, stderr } = await uninstall("kit", "--force");
            expect(code, name).to.equal(1);
            expect(stderr, name).to.contain("agent-plugins.json is invalid");
        }
        expect(fs.existsSync(victim)).to.equal(true);
    });

    it("A folder that is linked into itself is not followed, and names of every object are names", async () => {
        fs.symlinkSync("..", path.join(folder, "skills/release/loop"));
        fs.symlinkSync(".", path.join(folder, "commands/self"));
        const docs = { type: "http", url: "https://docs.example.org/mcp" };
        write("mcp.json", `\uFEFF${JSON.stringify({ mcpServers: { constructor: docs } })}`);
        const { stdout } = await install(folder, "--force", "--json");
        const { taken, left } = JSON.parse(stdout.slice(stdout.indexOf("{")));
        const names = [...taken, ...left].map(({ what }: { what: string }) => what);
        expect(names).to.include.members(["commands/self", "skills/release/loop"]);
        expect(names.filter((name: string) => name.split("loop").length > 2)).to.deep.equal([]);
        expect(JSON.stringify(taken)).to.contain("mcpServers.constructor");
    });
});
