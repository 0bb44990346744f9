import { execFileSync } from "node:child_process";
import * as fs from "node:fs";
import path from "node:path";
import { expect } from "chai";
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
        place = new Workplace();
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

    it("A folder's skills, commands, agents and servers are taken, the rest is left with the reason", async () => {
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

    it("Nothing is written before a yes, nor over a file of the user's", async () => {
        const asked = await install(folder);
        expect(asked.code).to.equal(2);
        expect(asked.stderr).to.contain("Add --force");
        const shown = await install(folder, "--dry-run");
        expect(shown.stdout).to.contain("North takes 5 settings");
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

    it("Links in a plugin are not followed, and a manifest of another version is refused", async () => {
        write("../secret/SKILL.md", SKILL);
        fs.rmSync(path.join(folder, "skills"), { recursive: true });
        fs.symlinkSync(path.join(place.folder, "secret"), path.join(folder, "skills"));
        fs.symlinkSync("/etc/passwd", path.join(folder, "commands/passwd.md"));
        const shown = await install(folder, "--dry-run");
        expect(shown.stdout).to.contain("it is no text of at most 1 MB, or a link");
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

    it("A package that is no plugin is refused, and that is called no bug", async () => {
        fs.rmSync(path.join(folder, "plugin.json"));
        write("package.json", '{"name": "kit", "version": "1.0.0"}');
        const { code, stderr } = await install(`file:${folder}`);
        expect(code).not.to.equal(0);
        expect(stderr).to.contain("plugin is invalid").and.not.contain("bug");
    });
});
