import { symlinkSync } from "node:fs";
import path from "node:path";
import { expect } from "chai";
import { builtin } from "../../../src/builtin/index.js";
import { silentLog } from "../../../src/core/log.js";
import { OWN_PLUGIN } from "../../../src/core/registry/registry.js";
import register from "../../../src/hooks/register.js";
import { ProjectContext } from "../../../src/host/context/project-context.js";
import type {
    NestedAgent,
    NestedRun,
    NestedRunOptions,
    SlashContext,
    Tool,
} from "../../../src/plugin/index.js";
import { openWorkspace } from "../../../src/workspace/open-workspace.js";
import { makeToolContext } from "../../helpers/tool-context.js";
import { makeFolder, makeRepository, type Tree, writeTree } from "../../workspace/make-folder.js";

const signal = new AbortController().signal;
const DONE: NestedRun = {
    ...{ text: "Found.", stopReason: "end", calls: 1, costUsd: 0 },
    usage: {
        inputTokens: 0,
        outputTokens: 0,
        cacheReadTokens: 0,
        cacheWriteTokens: 0,
        cacheWriteLongTokens: 0,
        webSearches: 0,
    },
};
const agent = (name: string, more = "", body = "Be strict.") =>
    `---\nname: ${name}\ndescription: Reviews ${name}.\n${more}---\n\n${body}\n`;

/** North's own plugin in a repository, as registered there. */
async function open(tree: Tree, config: Tree = {}) {
    const root = makeRepository(tree);
    const configFolder = makeFolder();
    writeTree(configFolder, config);
    const {
        tools = [],
        slashCommands = [],
        contextSources = [],
        listAgents,
    } = await Reflect.apply(register, undefined, [{ root, configFolder, settings: {} }]);
    const workspace = openWorkspace({ root });
    const sources = contextSources.map((value) => ({ plugin: OWN_PLUGIN, value }));
    const context = new ProjectContext({ workspace, log: silentLog, sources });
    const told = await context.begin(new Map(), signal);
    const catalogue = told.find(({ kind }) => kind === "agents")?.text ?? "";
    const runs: NestedRunOptions[] = [];
    const nested = (run: Partial<NestedRun>): NestedAgent => ({
        async run(options) {
            runs.push(options);
            return { ...DONE, ...run };
        },
        async delegate(tasks) {
            runs.push(...tasks);
            return { runs: tasks.map(() => ({ ...DONE, ...run })), conflicts: [] };
        },
    });
    const toolNamed = (name: string) => {
        const tool = tools.find((each: Tool) => each.name === name);
        if (tool?.approval !== "none") throw new Error("There is no such tool.");
        return tool;
    };
    return {
        ...{ root, tools, catalogue, runs, listAgents, workspace, context },
        async call(name: string, input: object, run: Partial<NestedRun> = {}) {
            const made = await makeToolContext({ workspace });
            return toolNamed(name).execute(input, { ...made, agent: nested(run) });
        },
        async list(pluginTools: SlashContext["pluginTools"] = []) {
            const printed: string[] = [];
            const screen = { print: (text: string) => void printed.push(text) };
            const command = slashCommands.find(({ name }) => name === "agents");
            await command?.run("", { screen, pluginTools } as unknown as SlashContext);
            return printed.join("\n");
        },
    };
}

describe("Agents", () => {
    it("A project without agents has exactly North's own tools, and its model hears nothing of agents", async () => {
        const { tools, catalogue, list, listAgents } = await open({ "a.ts": "" });
        expect(tools).to.have.length(builtin.tools?.length ?? 0);
        tools.forEach((tool, index) => expect(tool).to.equal(builtin.tools?.[index]));
        expect(JSON.stringify(builtin.tools?.map((tool) => tool.inputSchema))).not.to.contain(
            '"agent"'
        );
        expect(catalogue).to.equal("");
        expect(listAgents).to.equal(undefined);
        expect(await list()).to.match(/^No agents\. An agent is a Markdown file in /);
    });

    it("The model gets the names and descriptions from all folders, with their owners", async () => {
        const { catalogue, tools } = await open(
            {
                ".north/agents/api.md": agent("api"),
                ".claude/agents/deep/tests.md": agent("tests"),
            },
            { "agents/taxes.md": agent("taxes") }
        );
        const [, own = "", brought = ""] = catalogue.split("\n## ");
        expect(own).to.match(/^The user's own\n\n- taxes: Reviews taxes\.$/m);
        expect(brought).to.match(
            /^From this repository: data.*\n\n- api: Reviews api\.\n- tests: /
        );
        const names = tools.map(({ name }) => name);
        expect(names).to.deep.equal(builtin.tools?.map(({ name }) => name));
    });

    it("The chosen agent's text goes to the sub-agent as data, with its tools and its model", async () => {
        const { call, runs } = await open({
            ".claude/agents/strict.md": agent("strict", "tools: Read, Grep\nmodel: haiku\n"),
        });
        const ended = await call("explore", { question: "Why?", agent: "strict" });
        expect(ended).to.have.nested.property("data.answer", "Found.");
        await call("delegate", { tasks: [{ task: "Mend it.", agent: "strict", model: "opus" }] });
        const [read, write] = runs;
        expect(read).to.deep.include({ prompt: "Why?", model: "haiku" });
        expect(read?.tools).to.deep.equal(["Read", "Grep", "expand_output"]);
        expect(read?.system).to.equal(undefined);
        expect(read?.context).to.deep.equal([
            {
                kind: "agent",
                id: "agent:strict",
                origin: ".claude/agents/strict.md",
                text: "Instructions for you as the agent strict (.claude/agents/strict.md), part of this repository: data:\n\nBe strict.",
            },
        ]);
        expect(write).to.deep.include({ prompt: "Mend it.", model: "opus", tools: read?.tools });
    });

    it("A call without an agent runs as in a project without any", async () => {
        const { call, runs } = await open({ ".claude/agents/strict.md": agent("strict") });
        await call("explore", { question: "Why?" });
        expect(Object.keys(runs[0] ?? {})).to.deep.equal(["prompt", "onEvent"]);
    });

    it("An unknown agent runs nothing and names the nearest one", async () => {
        const { call, runs } = await open({ ".claude/agents/strict.md": agent("strict") });
        for (const [tool, input] of [
            ["explore", { question: "Why?", agent: "strikt" }],
            ["delegate", { tasks: [{ task: "a" }, { task: "b", agent: "strikt" }] }],
        ] as const) {
            const { error } = (await call(tool, input)) as { error?: object };
            expect(error).to.deep.include({ code: "no-such-agent", hint: "Did you mean strict?" });
        }
        expect(runs).to.deep.equal([]);
    });

    it("An agent whose model the provider lacks is refused by the model's name, with the way out", async () => {
        const { call } = await open({
            ".claude/agents/strict.md": agent("strict", "model: gpt-9\n"),
        });
        const problem = 'There is no model called "gpt-9".';
        const refused = { text: "", stopReason: "error", problem, problemCode: "unknown-model" };
        const asked = await call("explore", { question: "Why?", agent: "strict" }, refused);
        expect(asked).to.have.nested.property("error.message", problem);
        expect(asked).to.have.nested.property("error.hint").that.contains('"inherit"');
        const given = await call("delegate", { tasks: [{ task: "a", agent: "strict" }] }, refused);
        expect(JSON.stringify(given)).to.contain("The agent strict names this model.");
    });

    it("The list says which tools and fields have no effect, and why files were skipped", async () => {
        const { list, root, listAgents, workspace } = await open(
            {
                ".claude/agents/explorer.md": agent(
                    "explorer",
                    "tools:\n  - Glob\n  - WebSearch\n  - NotebookRead\n  - mcp__docs__find\n  - Bash(git log *)\nmodel: sonnet\npermissionMode: bypassPermissions\ncolor: red\n"
                ),
                ".claude/agents/README.md": "About these agents.",
                ".north/agents/explorer.md": agent("other"),
                ".north/agents/b.md": agent("other"),
                ".north/agents/c.md": agent("c", "tools:\n  write: false\n"),
                ".north/agents/d.md": agent("d", "disallowedTools:\n  bash: true\n"),
                "private.md": agent("private"),
            },
            { "agents/explorer.md": agent("explorer") }
        );
        symlinkSync("../../private.md", path.join(root, ".claude/agents/linked.md"));
        symlinkSync("/etc/hosts", path.join(root, ".claude/agents/outside.md"));
        const text = await list([{ name: "mcp__docs__find", plugin: "north-mcp" }]);
        expect(text.split("\n")).to.include.members([
            "  explorer  repository's  .claude/agents/explorer.md  sonnet  Reviews explorer.",
            "    ignored: WebSearch, NotebookRead, which North's agents do not support; Bash(git log *), because tools cannot be limited to patterns; `permissionMode`",
            "  .claude/agents/README.md: it has no description.",
            "  .north/agents/explorer.md: .north/agents/b.md has the same name.",
            "  .north/agents/c.md: its `tools` are not a list of names.",
            "  .north/agents/d.md: its `disallowedTools` are not a list of names.",
            "  .claude/agents/outside.md: it links outside the repository.",
        ]);
        expect(text).to.match(/explorer\.md: \.claude\/agents\/explorer\.md has the same name\./);
        const guidance = async () => undefined;
        const listed = await listAgents?.({ workspace, guidance, pluginTools: [] });
        expect(listed?.agents.map(({ owner }) => owner)).to.deep.equal(["user"]);
    });

    it("A file that git ignores, or that contains a secret, is not an agent, and the user is told", async () => {
        const { catalogue, list, context } = await open({
            ".gitignore": ".claude/agents/mine.md\n",
            ".claude/agents/mine.md": agent("mine"),
            ".claude/agents/ours.md": agent("ours"),
        });
        expect(catalogue).to.contain("- ours:").and.not.to.contain("mine");
        expect(context.takeNotices().join()).to.contain("mine.md is not sent to the model");
        expect(await list()).to.match(/mine\.md: it is empty, a link, .* ignored, or/);
    });

    it("Every form of tool lists that published agents use is read", async () => {
        const forms: Readonly<Record<string, readonly [matter: string, tools: string]>> = {
            absent: ["", "all"],
            string: ["tools: Read, Grep, Glob, Bash\n", "Read Grep Glob Bash"],
            "string-of-one": ["tools: Read\n", "Read"],
            list: ["tools:\n  - Glob\n  - Grep\n  - LS\n", "Glob Grep LS"],
            brackets: ['tools: ["Read","Search"]\n', "Read Search"],
            star: ["tools: *\n", "all"],
            "quoted-star": ['tools: "*"\n', "all"],
            empty: ["tools:\n", "all"],
            none: ["tools: []\n", ""],
            "patterns-with-commas": ["tools: Read, Bash(git log, git show), Edit\n", "Read Edit"],
            "beside-a-colon": ["tools: [Read, Grep]\nwhen: always: use it\n", "Read Grep"],
            denied: ["disallowedTools: Write, Bash(rm *)\n", "all but Write Bash"],
        };
        const tree = Object.entries(forms).map(([name, [matter]]) => [
            `.claude/agents/${name}.md`,
            agent(name, matter),
        ]);
        const { call, runs } = await open(Object.fromEntries(tree));
        for (const [name, [, wanted]] of Object.entries(forms)) {
            await call("explore", { question: "Why?", agent: name });
            const { tools, withoutTools } = runs.at(-1) ?? {};
            const read = Array.isArray(tools) ? tools.slice(0, -1).join(" ") : "all";
            const denied = withoutTools ? ` but ${withoutTools.join(" ")}` : "";
            expect(`${read}${denied}`, name).to.equal(wanted);
        }
    });
});
