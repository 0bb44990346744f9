import { spawnSync } from "node:child_process";
import * as fs from "node:fs";
import path from "node:path";
import { expect } from "chai";

import { PROGRAM, Workplace, type RunOptions } from "../helpers/north-program.js";
import { openTerminal } from "../helpers/pseudo-terminal.js";

const KEY = "a-key-of-the-test-0123456789";

interface Report {
    readonly ok: boolean;
    readonly checks: readonly {
        readonly name: string;
        readonly status: string;
        readonly found: string;
        readonly next?: string;
    }[];
}

describe("north doctor", () => {
    let place: Workplace;
    let configFolder: string;

    beforeEach(() => {
        place = new Workplace();
        configFolder = path.join(place.home, ".config", "north");
        fs.rmSync(configFolder, { recursive: true });
    });
    afterEach(() => place.remove());

    async function examine(env: RunOptions["env"] = {}) {
        const all = { NORTH_DATA_DIR: place.data, ...env };
        const end = await place.run(["doctor", "--json"], { env: all });
        expect(end.stderr).to.equal("");
        const report = JSON.parse(end.stdout) as Report;
        expect(end.code).to.equal(report.ok ? 0 : 1);
        const find = (name: string) => report.checks.filter((check) => check.name === name);
        return { report, find, stdout: end.stdout };
    }

    function configure(file: string, content: string, mode: number): void {
        fs.mkdirSync(configFolder, { recursive: true });
        fs.writeFileSync(path.join(configFolder, file), content, { mode });
    }

    it("A healthy setup passes, and a key's source is shown but never the key", async () => {
        const { report, find, stdout } = await examine({ ANTHROPIC_API_KEY: KEY });
        const remarks = report.checks.filter(({ status }) => status !== "ok");
        // This may run on a Node that gets no fixes any more.
        expect(remarks.filter(({ name }) => name !== "Node")).to.deep.equal([]);
        expect(find("keys")[0]?.found).to.contain("anthropic: ANTHROPIC_API_KEY");
        expect(find("model")[0]?.found).to.contain("(anthropic)");
        expect(stdout).not.to.contain(KEY);
        expect(fs.existsSync(configFolder)).to.equal(false);
    });

    it("Files that name MCP servers are reported with the command that installs the plugin for them", async () => {
        place.write(".mcp.json", "{}");
        configure("mcp.json", "{}", 0o600);
        const { find } = await examine();
        const { status, found, next } = find("MCP servers")[1] ?? {};
        expect({ status, found }).to.deep.equal({
            status: "warning",
            found: ".mcp.json is not read",
        });
        expect(find("MCP servers")[0]?.found).to.equal("mcp.json is not read");
        const folder = path.resolve("plugins/north-plugin-mcp");
        expect(next).to.equal(`\`${place.northCommand} plugins link ${folder}\` adds MCP servers.`);
        const terminal = place.open([], { columns: 250 });
        await terminal.waitFor(`.mcp.json is not read: ${next}`);
        await terminal.close();
    });

    it("A chat names an unread file of MCP servers once, and again when the file has changed", async () => {
        const notices = async () => {
            const terminal = place.open([]);
            await terminal.waitFor(/offline model/);
            terminal.type("/quit\r");
            await terminal.exit();
            return terminal.transcript().match(/mcp\.json is not read/g)?.length ?? 0;
        };
        place.write(".mcp.json", "{}");
        configure("mcp.json", "{}", 0o600);
        expect(await notices()).to.equal(2);
        expect(await notices()).to.equal(0);
        place.write(".mcp.json", '{"mcpServers": {}}');
        expect(await notices()).to.equal(1);
    });

    it("A missing key and missing git are warnings, and North still works", async () => {
        const programs = path.join(place.folder, "programs");
        fs.mkdirSync(programs);
        fs.symlinkSync("/bin/bash", path.join(programs, "bash"));
        const { report, find } = await examine({ PATH: programs });
        expect(report.ok).to.equal(true);
        expect(find("git")[0]).to.include({ status: "warning", found: "not found on the PATH" });
        expect(find("keys")[0]?.next).to.contain("north login");
    });

    it("A bash that is missing or does not start is named, and does not stop the other checks", async () => {
        const programs = path.join(place.folder, "programs");
        fs.mkdirSync(path.join(programs, "bash"), { recursive: true });
        const none = await examine({ PATH: programs });
        const missing = "There is no bash on the PATH to run commands with.";
        expect(none.find("bash")[0]).to.include({ status: "broken", found: missing });
        expect(none.find("containment")[0]).to.include({ status: "broken", found: missing });
        fs.rmdirSync(path.join(programs, "bash"));
        for (const script of ["#!/bin/false\n", "#!/nowhere\n"]) {
            fs.writeFileSync(path.join(programs, "bash"), script, { mode: 0o755 });
            const { find } = await examine({ PATH: programs });
            const found = "The shell could not be started.";
            expect(find("bash")[0]).to.include({ status: "broken", found });
            expect(find("containment")[0]).to.include({ status: "warning", found });
        }
    });

    it("A git older than any that North was tested with is a warning", async () => {
        const programs = path.join(place.folder, "programs");
        fs.mkdirSync(programs);
        fs.symlinkSync("/bin/bash", path.join(programs, "bash"));
        const old = "#!/bin/bash\necho git version 2.29.5\n";
        fs.writeFileSync(path.join(programs, "git"), old, { mode: 0o755 });
        const { report, find } = await examine({ PATH: programs });
        expect(report.ok).to.equal(true);
        expect(find("git")[0]).to.include({ status: "warning", found: "2.29.5, older than 2.30" });
        expect(find("git")[0]?.next).to.contain("git 2.30 or newer");
    });

    it("Broken settings, keys and folders do not stop the other checks", async () => {
        configure("config.json", "{ broken", 0o644);
        configure("credentials.json", "{}", 0o644);
        fs.writeFileSync(path.join(place.folder, "file"), "");
        const { find } = await examine({
            NORTH_STATE_DIR: path.join(place.folder, "file", "state"),
        });
        expect(find("settings")[0]).to.include({ status: "broken" });
        expect(find("settings")[0]?.next).to.contain("Fix it");
        expect(find("keys")[0]?.next).to.contain("chmod 600");
        expect(find("state folder")[0]?.found).to.contain("is not writable (not a directory)");
        expect(find("data folder")[0]?.status).to.equal("ok");
        expect(find("plugins")[0]?.status).to.equal("ok");
    });

    it("A plugin that throws is named, and the others have their versions", async () => {
        const plugins = ["throws", "works"].map((name) => ({
            name: `north-plugin-${name}`,
            root: path.resolve("test/fixtures/plugins", name),
            type: "link",
        }));
        const content = { name: "north-cli", private: true, oclif: { schema: 1, plugins } };
        fs.mkdirSync(place.data, { recursive: true });
        fs.writeFileSync(path.join(place.data, "package.json"), JSON.stringify(content));
        const [versions, problem, ...others] = (await examine()).find("plugins");
        expect(versions?.found).to.contain("north-plugin-works 1.0.0");
        expect(problem).to.include({ status: "broken" });
        expect(problem?.found).to.contain("The plugin north-plugin-throws did not load");
        expect(problem?.next).to.contain("north plugins uninstall");
        expect(others).to.deep.equal([]);
    });

    it("A user who is not in the password file can start North", async function () {
        const under = ["unshare", "--user", "--map-user=54321"];
        if (spawnSync("unshare", [...under.slice(1), "true"]).status !== 0) this.skip();
        const end = await place.run(["doctor", "--json"], { under, env: { SHELL: undefined } });
        expect(end).to.deep.include({ code: 0, stderr: "" });
    });

    it("`north update` says how this copy was installed and how to update it", async () => {
        const { stdout, code } = await place.run(["update"]);
        expect(code).to.equal(0);
        expect(stdout).to.match(/^North \d+\.\d+\.\d+, installed from a checkout in \/.*\.\n/);
        expect(stdout).to.match(/^To update it: cd .* && git pull && npm install && /m);
        const { from, update } = JSON.parse((await place.run(["update", "--json"])).stdout);
        expect({ from, isSame: stdout.includes(update) }).to.deep.equal({
            from: "a checkout",
            isSame: true,
        });
    });

    it("In a terminal each finding has a next step", async () => {
        const terminal = openTerminal({
            command: process.execPath,
            args: [PROGRAM, "doctor"],
            cwd: place.repository,
            env: place.environment({ LANG: "C", FORCE_COLOR: undefined }),
            columns: 100,
            rows: 40,
        });
        try {
            expect((await terminal.exit()).exitCode).to.equal(0);
            expect(terminal.screen()).to.match(/! terminal +xterm-256color.*100x40, not UTF-8\n/);
            expect(terminal.screen()).to.match(/→ Set LANG to a UTF-8 locale/);
            // Of the terminal, the keys, and the Node that this runs on.
            const warnings = /! Node/.test(terminal.screen()) ? 3 : 2;
            expect(terminal.screen()).to.contain(`North works; ${warnings} warnings.`);
        } finally {
            await terminal.close();
        }
    });
});
