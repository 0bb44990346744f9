import * as fs from "node:fs";
import path from "node:path";
import { expect } from "chai";
import { Workplace } from "../helpers/north-program.js";

// Files in the shapes that public repositories and home folders have; the contents are invented.
const FIXTURES = path.resolve("test/fixtures/import");

interface Setting {
    readonly what: string;
    readonly from: string;
    readonly to?: string;
    readonly reason?: string;
}

const SECRETS = /ghp_9aKd|sk-ant-oat|q8Zr5K|h4Kd93|sk-proj-a8Fk/;
const EVENTS =
    "PreToolUse, PostToolUse, UserPromptSubmit, Stop, SessionStart, SessionEnd, PreCompact, SubagentStop, Notification, PermissionRequest";

describe("Settings of other assistants", () => {
    let place: Workplace;

    beforeEach(() => {
        place = new Workplace().reusingProcess();
    });
    afterEach(() => place.remove());

    function bring(tool: string): void {
        const copy = (part: string, target: string) => {
            const source = path.join(FIXTURES, tool, part);
            if (fs.existsSync(source)) fs.cpSync(source, target, { recursive: true });
        };
        copy("home", place.home);
        copy("project", place.repository);
    }

    const read = (file: string) => fs.readFileSync(file, "utf8");
    const inHome = (file: string) => path.join(place.home, file);
    const inProject = (file: string) => path.join(place.repository, file);

    /** Imports, and returns what was taken and left: `name > file of North: remark`. */
    async function imported(tool: string, ...more: string[]) {
        const end = await place.run(["import", tool, "--json", ...more]);
        expect({ code: end.code, stderr: end.stderr }).to.deep.equal({ code: 0, stderr: "" });
        const { taken, left } = JSON.parse(end.stdout);
        const line = ({ what, to, reason }: Setting) =>
            `${what}${to === undefined ? "" : ` > ${to}`}${reason === undefined ? "" : `: ${reason}`}`;
        return { stdout: end.stdout, taken: taken.map(line), left: left.map(line) };
    }

    const WHOLE = "it allows more than one command, and North allows only exact commands";
    const NO_DENIALS =
        "North reads denials only from the machine's policy, `/etc/north/policy.json`; a PreToolUse hook can refuse, too";
    const NONE = "North has no such setting";
    const SSE = "North does not support the older SSE transport";
    const LIMITED = "it offers only some of its tools, and North cannot limit them";
    const PROTOCOL = "its hooks use another protocol; North runs hooks of Claude Code's format";
    const [CONFIG, SERVERS] = ["~/.config/north/config.json", "~/.config/north/mcp.json"];
    const INSTRUCTIONS = "instructions > ~/.config/north/AGENTS.md";

    it("Instructions that are not UTF-8 stay as they are", async () => {
        bring("claude");
        const file = inHome(".config/north/AGENTS.md");
        fs.mkdirSync(path.dirname(file), { recursive: true });
        fs.writeFileSync(file, "Gr\xfc\xdfe\n", "latin1");
        const { left } = await imported("claude", "--force");
        expect(left).to.include("instructions: ~/.config/north/AGENTS.md is not UTF-8");
        expect(fs.readFileSync(file, "latin1")).to.equal("Gr\xfc\xdfe\n");
    });

    it("Instructions that are too long to be read whole are not cut", async () => {
        bring("claude");
        const file = inHome(".config/north/AGENTS.md");
        fs.mkdirSync(path.dirname(file), { recursive: true });
        const text = "Be brief.\n".repeat(500_000);
        fs.writeFileSync(file, text);
        const { code, stderr } = await place.run(["import", "claude", "--force"]);
        expect(stderr).to.contain("AGENTS.md is larger than 4 MB.");
        expect(code).to.equal(1);
        expect(fs.readFileSync(file, "utf8")).to.equal(text);
    });

    it("The config folder that an import creates is private", async () => {
        bring("claude");
        fs.rmSync(inHome(".config"), { recursive: true, force: true });
        await imported("claude", "--force");
        for (const folder of [".config/north", ".config"]) {
            expect(fs.statSync(inHome(folder)).mode & 0o777, folder).to.equal(0o700);
        }
    });

    it("Claude Code: exact commands of the project are imported, and no pattern, denial or secret", async () => {
        bring("claude");
        fs.mkdirSync(inHome(".claude/agents"));
        const { taken, left } = await imported("claude", "--force");
        expect(taken).to.deep.equal([
            `hooks.PreToolUse[0] > ${CONFIG}`,
            `model: opus > ${CONFIG}`,
            `mcpServers.context7 > ${SERVERS}`,
            `mcpServers.github > ${SERVERS}: the value of GITHUB_PERSONAL_ACCESS_TOKEN looks like a secret and is not copied: export it in your shell`,
            `mcpServers.tickets > ${SERVERS}: the value of Authorization looks like a secret and is not copied: export it in your shell`,
            "permissions.allow: Bash(npm test) > .north/allowlist.json",
            "permissions.allow: Bash(npm run lint) > .north/allowlist.json",
            "hooks.PostToolUse[0] > .north/hooks.json",
            "permissions.allow: Bash(make check) > .north/allowlist.json",
            INSTRUCTIONS,
        ]);
        expect(left).to.deep.equal([
            `permissions.allow: Bash(cargo update:*): ${WHOLE}`,
            "permissions.allow: Bash(uv --version): it applies to all projects, and North allows a command in one",
            "permissions.allow: Read(~/.zshrc): North reads the project without asking, and you review every edit",
            "permissions.allow: mcp__github__get_issue: North asks at a server's first call; `a` allows the tool",
            "permissions.allow: WebFetch(domain:docs.example.org): North asks at a host's first page; `a` allows the host",
            `hooks.PreCompactSomething[0]: North has no such event, only ${EVENTS}`,
            `theme: ${NONE}`,
            `includeCoAuthoredBy: ${NONE}`,
            "env: North sets no variables for commands; export them in your shell",
            `mcpServers.legacy: ${SSE}`,
            "mcpServers.inline: its arguments hold what looks like a secret",
            `permissions.allow: Bash(npm run build:*): ${WHOLE}`,
            "permissions.allow: Bash(git push): `Bash(git push *)` denies it or asks about it",
            `permissions.allow: Bash: ${WHOLE}`,
            "permissions.allow: Edit(src/**): North reads the project without asking, and you review every edit",
            `permissions.deny: Bash(git push *): ${NO_DENIALS}`,
            `permissions.deny: Read(./.env): ${NO_DENIALS}`,
            "permissions.ask: Bash(npm publish:*): North asks unless you allowed exactly this command",
            "permissions.defaultMode: `mode` in config.json is the mode to start in, and `/auto` accepts edits",
            "mcpServers: Claude Code reads no servers from this file",
            "permissions.allow: Bash(npm test): North has it already",
            "~/.claude/commands: copy its files to `~/.config/north/commands`",
            "~/.claude/agents: copy its files to `~/.config/north/agents`",
        ]);
        expect(JSON.parse(read(inHome(".config/north/config.json")))).to.deep.equal({
            containment: "off",
            hooks: {
                PreToolUse: [
                    {
                        matcher: "Bash",
                        hooks: [
                            {
                                type: "command",
                                command: "~/hooks/bin/check_git_add",
                                timeout: 10,
                            },
                        ],
                    },
                ],
            },
            selectedModel: "opus",
        });
        expect(JSON.parse(read(inHome(".config/north/mcp.json"))).mcpServers).to.deep.equal({
            context7: { command: "npx", args: ["-y", "@upstash/context7-mcp"] },
            github: {
                command: "docker",
                args: ["run", "-i", "--rm", "ghcr.io/example/github-mcp"],
                env: {
                    GITHUB_PERSONAL_ACCESS_TOKEN: "${GITHUB_PERSONAL_ACCESS_TOKEN}",
                    LOG_LEVEL: "info",
                },
            },
            tickets: {
                type: "http",
                url: "https://tickets.example.org/mcp",
                headers: { Authorization: "Bearer ${TICKETS_AUTHORIZATION}" },
            },
        });
        expect(read(inHome(".config/north/AGENTS.md"))).to.equal("@~/.claude/CLAUDE.md\n");
        const { allowedCommands } = JSON.parse(read(inProject(".north/allowlist.json")));
        expect(allowedCommands).to.deep.equal(["npm test", "npm run lint", "make check"]);
        const trust = await place.run(["trust"]);
        expect(trust.stdout).to.contain("lint.sh").and.not.to.contain("npm test");
        const again = await imported("claude", "--force");
        expect(again.taken).to.deep.equal([]);
    });

    it("Codex CLI: its TOML is read, and limits, disabled servers and rules for command prefixes are skipped", async () => {
        bring("codex");
        const { taken, left } = await imported("codex", "--force");
        expect(taken).to.deep.equal([
            `mcp_servers.context7 > ${SERVERS}`,
            `mcp_servers.tickets > ${SERVERS}`,
            `model: gpt-5.1 > ${CONFIG}`,
            "hooks.PreToolUse[0] > .north/hooks.json",
            INSTRUCTIONS,
        ]);
        const contained = "North runs commands contained first, and asks about their effects";
        expect(left).to.deep.equal([
            "mcp_servers.off: it is disabled",
            `mcp_servers.some: ${LIMITED}`,
            `approval_policy: ${contained}`,
            `sandbox_mode: ${contained}`,
            `personality: ${NONE}`,
            "projects: North trusts no folder as a whole; `/trust` allows what a repository brings",
            `hooks.SessionEndOfDay[0]: North has no such event, only ${EVENTS}`,
            `~/.codex/rules: a rule allows beginnings of commands: ${WHOLE}`,
        ]);
        expect(JSON.parse(read(inHome(".config/north/mcp.json"))).mcpServers).to.deep.equal({
            context7: {
                command: "npx",
                args: ["-y", "@upstash/context7-mcp"],
                env: { HTTPS_PROXY: "${HTTPS_PROXY}" },
                timeout: 30_000,
            },
            tickets: {
                type: "http",
                url: "https://tickets.example.org/mcp",
                headers: { Authorization: "Bearer ${TICKETS_TOKEN}" },
            },
        });
    });

    it("Gemini CLI: comments are read, `url` is SSE, and `trust` grants nothing", async () => {
        bring("gemini");
        const { taken, left } = await imported("gemini", "--force");
        expect(taken).to.deep.equal([
            `mcpServers.expo > ${SERVERS}`,
            `mcpServers.db > ${SERVERS}: \`trust\` is not imported: North asks about its tools`,
            INSTRUCTIONS,
        ]);
        expect(left).to.deep.equal([
            `mcpServers.security: ${SSE}`,
            `mcpServers.part: ${LIMITED}`,
            "model.name: gemini-3-flash-preview: North does not know this model; see `north models`",
            `tools.allowed: run_shell_command(git status): ${WHOLE}`,
            `tools.exclude: web_fetch: ${NO_DENIALS}`,
            `hooks: ${PROTOCOL}`,
            'general.vimMode: `"editingMode": "vi"` in config.json gives you vi keys',
            `general.previewFeatures: ${NONE}`,
            `security: ${NONE}`,
            `ui: ${NONE}`,
        ]);
        expect(JSON.parse(read(inHome(".config/north/mcp.json"))).mcpServers).to.deep.equal({
            expo: { type: "http", url: "https://mcp.example.dev/mcp" },
            db: { command: "db-mcp", env: { DB_URL: "${DATABASE_URL}" } },
        });
    });

    it("Cursor: servers of the project go to .mcp.json, where North asks before they run", async () => {
        bring("cursor");
        const { taken, left } = await imported("cursor", "--force");
        expect(taken).to.deep.equal([
            "mcpServers.docs > .mcp.json",
            "mcpServers.local > .mcp.json",
        ]);
        expect(left).to.deep.equal([
            `permissions.allow: Shell(git): ${WHOLE}`,
            `permissions.deny: Read(.env*): ${NO_DENIALS}`,
            `editor: ${NONE}`,
            ".cursorrules: move its text to `AGENTS.md` or `.cursor/rules`",
        ]);
        expect(JSON.parse(read(inProject(".mcp.json"))).mcpServers).to.deep.equal({
            docs: { type: "http", url: "https://docs.example.com/mcp" },
            local: {
                command: "${NORTH_PROJECT_DIR}/bin/mcp",
                env: { API_TOKEN: "${API_TOKEN}" },
            },
        });
    });

    it("Copilot: a server that offers only some of its tools, or asks for a value, is skipped", async () => {
        bring("copilot");
        const { taken, left } = await imported("copilot", "--dry-run");
        expect(taken).to.deep.equal([
            `mcpServers.grep > ${SERVERS}`,
            `mcpServers.azure > ${SERVERS}`,
            `model: claude-sonnet-4.5 > ${CONFIG}`,
            "servers.plain > .mcp.json",
            INSTRUCTIONS,
        ]);
        expect(left).to.deep.equal([
            `mcpServers.github: ${LIMITED}`,
            "trusted_folders: North trusts no folder as a whole; `/trust` allows what it brings",
            "servers.asks: it asks for values when it starts, which North does not do",
        ]);
        expect(fs.existsSync(inProject(".mcp.json"))).to.equal(false);
    });

    it("opencode: an allowed command counts only if no later rule denies it", async () => {
        bring("opencode");
        const { taken, left } = await imported("opencode", "--force");
        expect(taken).to.deep.equal([
            "mcp.nix > .mcp.json",
            "mcp.remote > .mcp.json",
            "permission.bash: git diff: allow > .north/allowlist.json",
            "permission.bash: git status: allow > .north/allowlist.json",
            INSTRUCTIONS,
        ]);
        expect(left).to.deep.equal([
            "mcp.file: it reads a value from a file",
            "mcp.off: it is disabled",
            "permission.bash: *: ask: North asks unless you allowed it",
            `permission.bash: git log *: allow: ${WHOLE}`,
            "permission.bash: rm -rf build: allow: a later rule denies it or asks about it",
            `permission.bash: rm *: deny: ${NO_DENIALS}`,
            `permission.edit: ${NONE}`,
            "model: anthropic/claude-sonnet-5-5: North has one model for all projects; use `--model`",
            `theme: ${NONE}`,
            "instructions: name these files in `AGENTS.md`, or put their text there",
            "provider: add its server to `providers` in config.json; North imports no credentials",
        ]);
    });

    it("No credential of another assistant is in anything that North prints or writes", async () => {
        for (const tool of fs.readdirSync(FIXTURES)) bring(tool);
        for (const tool of fs.readdirSync(FIXTURES)) {
            const { stdout, stderr } = await place.run(["import", tool, "--force"]);
            expect(stdout + stderr).not.to.match(SECRETS);
        }
        const folder = inHome(".config/north");
        const written = fs.readdirSync(folder).map((name) => read(path.join(folder, name)));
        expect(written.join("")).to.contain("context7").and.not.to.match(SECRETS);
        expect(read(inProject(".mcp.json"))).not.to.match(SECRETS);
    });

    it("Nothing is written without a yes, and nothing of a kind that was not asked for", async () => {
        bring("claude");
        const unasked = await place.run(["import", "claude"]);
        expect(unasked.code).to.equal(2);
        expect(unasked.stderr).to.contain("Add --force to skip the question.");
        expect(fs.existsSync(inHome(".config/north/mcp.json"))).to.equal(false);
        const { taken } = await imported("claude", "--force", "--only", "server");
        expect(taken).to.have.length(3);
        expect(JSON.parse(read(inHome(".config/north/config.json")))).not.to.have.any.keys(
            "hooks",
            "selectedModel"
        );
        expect(fs.existsSync(inProject(".north/allowlist.json"))).to.equal(false);
    });

    it("Importing servers mentions the plugin that starts them", async () => {
        bring("cursor");
        const { stdout } = await place.run(["import", "cursor", "--force"]);
        expect(stdout).to.match(/Done\.\n\.mcp\.json is not read: `.*` adds MCP servers\.\n$/);
    });

    it("A question shows all that would be written, and a no writes nothing", async () => {
        bring("cursor");
        const terminal = place.open(["import", "cursor"]);
        await terminal.waitFor("Import from Cursor?");
        expect(terminal.transcript()).to.match(/\+.*docs\.example\.com\/mcp/);
        terminal.press("n");
        await terminal.waitFor("Nothing changed.");
        expect(fs.existsSync(inProject(".mcp.json"))).to.equal(false);
    });

    it("Without a name, the assistants that have settings here are listed", async () => {
        const none = await place.run(["import"]);
        expect(none.stdout).to.equal(
            "No other assistant has settings here or in your home folder.\n"
        );
        bring("cursor");
        bring("opencode");
        const found = await place.run(["import"]);
        expect(found.stdout).to.match(/^Cursor +.*\.cursor\/mcp\.json.* +north import cursor$/m);
        expect(found.stdout).to.match(/^opencode .* +north import opencode$/m);
        expect(found.stdout).not.to.contain("Codex");
        const missing = await place.run(["import", "codex"]);
        expect(missing.code).to.equal(1);
        expect(missing.stderr).to.contain("Codex CLI has no settings in ");
    });

    it("A file that begins with a BOM is read like any other", async () => {
        bring("cursor");
        const before = await imported("cursor", "--dry-run");
        const file = inProject(".cursor/mcp.json");
        fs.writeFileSync(file, `\uFEFF${read(file)}`);
        expect(await imported("cursor", "--dry-run")).to.deep.equal(before);
    });

    it("A file that cannot be parsed is named with the reason, and a damaged one of North stops", async () => {
        bring("cursor");
        fs.writeFileSync(inProject(".cursor/mcp.json"), "{");
        const { taken, left } = await imported("cursor", "--dry-run");
        expect(taken).to.deep.equal([]);
        expect(left.join("\n")).to.match(/^\.cursor\/mcp\.json: it cannot be read: /m);
        bring("cursor");
        fs.writeFileSync(inProject(".mcp.json"), "[]");
        const end = await place.run(["import", "cursor", "--force"]);
        expect(end.code).to.equal(1);
        expect(end.stderr).to.contain(".mcp.json is invalid");
        expect(read(inProject(".mcp.json"))).to.equal("[]");
    });
});
