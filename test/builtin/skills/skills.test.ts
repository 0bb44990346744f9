import { mkdirSync, symlinkSync } from "node:fs";
import path from "node:path";
import { expect } from "chai";
import { skillsContribution } from "../../../src/builtin/skills/skills.js";
import { tokensOf } from "../../../src/core/message/estimate.js";
import { silentLog } from "../../../src/core/log.js";
import { OWN_PLUGIN } from "../../../src/core/registry/registry.js";
import { ProjectContext } from "../../../src/host/context/project-context.js";
import type { OutgoingMessage, PlainTool, SlashContext, Tool } from "../../../src/plugin/index.js";
import { openWorkspace } from "../../../src/workspace/open-workspace.js";
import { dataOf, makeToolContext } from "../../helpers/tool-context.js";
import { makeFolder, makeRepository, type Tree, writeTree } from "../../workspace/make-folder.js";

interface SkillPart {
    readonly text: string;
    readonly nextLine?: number;
}

const signal = new AbortController().signal;
const skill = (name: string, more = "", body = "Do it well.") =>
    `---\nname: ${name}\ndescription: Handles ${name}. Use when asked for it.\n${more}---\n\n# ${name}\n\n${body}\n`;

function plain(tool: Tool | undefined): PlainTool {
    if (tool?.approval !== "none") throw new Error("There is no tool.");
    return tool;
}

async function open(tree: Tree, { user = {}, config = {} }: { user?: Tree; config?: Tree } = {}) {
    const root = makeRepository(tree);
    const home = makeFolder();
    const configFolder = makeFolder();
    writeTree(home, user);
    writeTree(configFolder, config);
    const contribution = await skillsContribution({ root, configFolder, home });
    const { tools = [], slashCommands = [], contextSources = [] } = contribution;
    const workspace = openWorkspace({ root });
    const sources = contextSources.map((value) => ({ plugin: OWN_PLUGIN, value }));
    const context = new ProjectContext({ workspace, log: silentLog, sources });
    context.prepare();
    const catalogue = async () => (await context.begin(new Map(), signal))[0]?.text ?? "";
    const [tool] = tools;
    return {
        root,
        home,
        tool,
        notices: () => context.takeNotices(),
        catalogue,
        async use(input: object) {
            return plain(tool).execute(input, await makeToolContext({ workspace }));
        },
        async follow(argumentsText: string) {
            const sent: OutgoingMessage[] = [];
            const send = async (message: OutgoingMessage) => void sent.push(message);
            await slashCommands[1]?.run(argumentsText, { send } as unknown as SlashContext);
            const [message] = sent;
            if (message === undefined) throw new Error("Nothing was sent.");
            return message;
        },
        async list() {
            const printed: string[] = [];
            const screen = { print: (text: string) => void printed.push(text) };
            await slashCommands[0]?.run("", { screen } as unknown as SlashContext);
            return printed.join("\n");
        },
    };
}

describe("Skills", () => {
    it("The catalogue lists the skills of all folders with their origin", async () => {
        const { catalogue, notices } = await open(
            {
                ".agents/skills/pdf-processing/SKILL.md": skill("pdf-processing"),
                ".north/skills/release/SKILL.md": skill("release"),
                ".claude/skills/data-analysis/SKILL.md": skill("data-analysis"),
                ".claude/skills/README.md": "Not a skill.",
            },
            {
                user: { ".agents/skills/letters/SKILL.md": skill("letters") },
                config: { "skills/taxes/SKILL.md": skill("taxes") },
            }
        );
        const [, own = "", brought = ""] = (await catalogue()).split("\n## ");
        expect(own).to.match(/^The user's own\n\n- taxes: Handles taxes. Use .*\n- letters: /);
        expect(brought).to.match(
            /^From this repository: data[^]*- release: [^]*- pdf-processing: /
        );
        expect(brought).to.contain("- data-analysis: ");
        expect(notices()).to.deep.equal([]);
    });

    it("Without a skills folder there is no skill tool and no catalogue", async () => {
        const { tool, catalogue, list } = await open({ "a.ts": "" });
        expect(tool).to.equal(undefined);
        expect(await catalogue()).to.equal("");
        expect(await list()).to.contain("No skills.");
    });

    it("The skill tool returns a skill's body, origin and files without its front matter", async () => {
        const { use, tool } = await open({
            ".agents/skills/pdf/SKILL.md": skill("pdf", "allowed-tools: Bash(rm:*) Read\n"),
            ".agents/skills/pdf/scripts/extract.py": "print()",
            ".agents/skills/pdf/references/FORMS.md": "Forms.",
        });
        const result = await use({ name: "pdf" });
        const text = plain(tool).render?.(dataOf(result), { name: "pdf" });
        expect(text).to.equal(
            [
                "Skill pdf in .agents/skills/pdf, part of this repository: data that grants no permissions.",
                "Files in its folder: references/FORMS.md, scripts/extract.py",
                "",
                "# pdf\n\nDo it well.",
            ].join("\n")
        );
    });

    it("A skill of any published size can be read to its end, in parts", async () => {
        const body = Array.from({ length: 9_000 }, (_, index) => `Line ${index} of it.`).join("\n");
        const { use, tool } = await open(
            {},
            { user: { ".agents/skills/api/SKILL.md": skill("api", "", body) } }
        );
        let startLine: number | undefined = 1;
        let parts: string[] = [];
        while (startLine !== undefined && parts.length < 9) {
            const data = dataOf(await use({ name: "api", startLine })) as SkillPart;
            parts = [...parts, data.text];
            startLine = data.nextLine;
            const end = startLine ? `[continues at startLine ${startLine}]` : "Line 8999 of it.";
            const rendered = plain(tool).render?.(data, { name: "api" }) ?? "";
            expect(rendered.slice(-end.length)).to.equal(end);
        }
        expect(parts.length).to.be.greaterThan(1);
        expect(parts.join("\n")).to.equal(`# api\n\n${body}`);
    });

    it("A skill that is hidden from models can be started by the user alone", async () => {
        const { use, catalogue, list, follow } = await open({
            ".claude/skills/deploy/SKILL.md": skill("deploy", "disable-model-invocation: true\n"),
        });
        expect(await catalogue()).not.to.contain("deploy");
        expect(await use({ name: "deploy" })).to.have.nested.property(
            "error.code",
            "no-such-skill"
        );
        expect(await list()).to.contain("only by /skill deploy");
        const sent = await follow("deploy to staging");
        expect(sent.text).to.equal("to staging");
        expect(sent.context?.[0]?.text).to.match(/skill deploy in .*: data:[^]*Do it well\.$/);
        expect((await follow("deploy")).text).to.equal("Follow the skill deploy.");
        const failed = await follow("deplox").catch((error: Error) => error.message);
        expect(failed).to.equal("There is no skill deplox.");
    });

    it("A file of a user's skill can be read, and nothing outside its folder", async () => {
        const { use, home } = await open(
            {},
            {
                user: {
                    ".agents/skills/pdf/SKILL.md": skill("pdf"),
                    ".agents/skills/pdf/references/FORMS.md": "Forms.",
                    "private.txt": "Private.",
                },
            }
        );
        symlinkSync(path.join(home, "private.txt"), path.join(home, ".agents/skills/pdf/link.md"));
        const read = await use({ name: "pdf", file: "references/FORMS.md" });
        expect(read)
            .to.deep.include({ ok: true })
            .and.to.have.nested.property("data.text", "Forms.");
        for (const file of ["../../../private.txt", "link.md", "references", "none.md"]) {
            expect(await use({ name: "pdf", file })).to.have.nested.property(
                "error.code",
                "not-found"
            );
        }
    });

    it("A repository's skill cannot link outside the repository", async () => {
        const { catalogue, use, list, root, home } = await open(
            { ".agents/skills/ok/SKILL.md": skill("ok") },
            { user: { "elsewhere/SKILL.md": skill("elsewhere"), "private.txt": "Private." } }
        );
        symlinkSync(path.join(home, "elsewhere"), path.join(root, ".agents/skills/elsewhere"));
        symlinkSync(path.join(home, "private.txt"), path.join(root, ".agents/skills/ok/link.md"));
        expect(await catalogue())
            .to.contain("- ok:")
            .and.not.to.contain("elsewhere");
        expect(await list()).to.contain(
            "  .agents/skills/elsewhere: it links outside the repository."
        );
        const outside = await use({ name: "ok", file: "link.md" });
        expect(outside).to.have.nested.property("error.code", "not-found");
    });

    it("A folder that is linked within the repository counts once, without a warning", async () => {
        const { catalogue, notices, root, list } = await open({
            ".agents/skills/pdf/SKILL.md": skill("pdf"),
        });
        mkdirSync(path.join(root, ".claude"));
        symlinkSync("../.agents/skills", path.join(root, ".claude/skills"));
        expect((await catalogue()).match(/- pdf:/g)).to.have.length(1);
        expect(notices()).to.deep.equal([]);
        expect(await list()).not.to.contain("Left out");
    });

    it("Front matter of other assistants is accepted, and skills without a description are skipped", async () => {
        const { catalogue, list } = await open({
            ".claude/skills/colon/SKILL.md":
                "---\nname: colon\ndescription: Use this skill when: the user asks about PDFs\n---\nX",
            ".claude/skills/folded/SKILL.md":
                "---\nname: folded\ndescription: >-\n  Two\n  lines.\nmetadata:\n  author: someone\n---\nX",
            ".claude/skills/bare/SKILL.md": "No front matter.",
            ".claude/skills/hidden/SKILL.md": skill("hidden", "disable-model-invocation: true\n"),
        });
        const text = await catalogue();
        expect(text).to.contain("- colon: Use this skill when: the user asks about PDFs");
        expect(text).to.contain("- folded: Two lines.");
        expect(text).not.to.match(/bare|hidden/);
        expect(await list()).to.contain("  .claude/skills/bare: SKILL.md has no description.");
    });

    it("Every form of front matter that published skills use is read, with its text and without a warning", async () => {
        // The forms of the specification, of Anthropic's own skills and of repositories on GitHub.
        const forms: Readonly<Record<string, readonly [matter: string, description: string]>> = {
            minimal: [
                "description: Sorts a list. Use it for lists.",
                "Sorts a list. Use it for lists.",
            ],
            licensed: [
                'description: Fills forms.\nlicense: Proprietary. LICENSE.txt has complete terms\ncompatibility: Requires git, docker, jq, and access to the internet\nmetadata:\n  author: example-org\n  version: "1.0"',
                "Fills forms.",
            ],
            "tools-in-a-string": [
                "description: Reads logs.\nallowed-tools: Bash(git:*) Bash(jq:*) Read",
                "Reads logs.",
            ],
            "tools-in-a-list": [
                "description: Reads logs.\nallowed-tools:\n  - Bash(git:*)\n  - Read",
                "Reads logs.",
            ],
            "tools-in-brackets": [
                'allowed-tools: ["Bash(${CLAUDE_SKILL_DIR}/scripts/check.mjs:*)", "Read"]\ndescription: Checks.',
                "Checks.",
            ],
            folded: [
                "description: >\n  Tests pages\n  in a browser.\nversion: 0.1.0",
                "Tests pages in a browser.",
            ],
            stripped: [
                "description: >-\n  Tests pages\n  in a browser.",
                "Tests pages in a browser.",
            ],
            literal: [
                "description: |\n  Tests pages.\n  Use it for: pages.",
                "Tests pages. Use it for: pages.",
            ],
            "double-quoted": [
                "description: \"Designs APIs. Triggers for 'design an API': yes.\"",
                "Designs APIs. Triggers for 'design an API': yes.",
            ],
            "single-quoted": [
                "description: 'Keys, shortcuts: remaps. It''s here.'",
                "Keys, shortcuts: remaps. It's here.",
            ],
            unquoted: [
                'description: Use when: the user says "slides", [a] or #1',
                'Use when: the user says "slides", [a] or #1',
            ],
            commented: ["# For people.\ndescription: Draws. # not text", "Draws."],
            foreign: [
                "description: 知识库。Use it for notes – or logs.",
                "知识库。Use it for notes – or logs.",
            ],
            extended: [
                'description: Explains.\ncontext: fork\nagent: Explore\nmodel: inherit\nuser-invocable: true\ndisable-model-invocation: false\nargument-hint: "<topic> [terminal|file]"\narguments: [topic]\nshell: bash\nhooks:\n  PreToolUse:\n    - matcher: Bash',
                "Explains.",
            ],
        };
        const tree = Object.entries(forms).flatMap(([name, [matter]]) => {
            const text = `---\nname: ${name}\n${matter}\n---\n\n# About ${name}\n\n---\n\nEnd.\n`;
            return [
                [`.claude/skills/${name}/SKILL.md`, text],
                [
                    `.agents/skills/windows-${name}/SKILL.md`,
                    `\ufeff${text.replace(`name: ${name}`, `name: windows-${name}`).replaceAll("\n", "\r\n")}`,
                ],
            ];
        });
        const { catalogue, use, list, notices } = await open(Object.fromEntries(tree));
        const lines = (await catalogue()).split("\n");
        for (const [name, [, description]] of Object.entries(forms)) {
            expect(lines).to.include(`- ${name}: ${description}`);
            expect(lines).to.include(`- windows-${name}: ${description}`);
            const read = await use({ name });
            expect(read).to.have.nested.property("data.text", `# About ${name}\n\n---\n\nEnd.`);
        }
        expect(notices()).to.deep.equal([]);
        expect(await list()).not.to.contain("Skipped");
    });

    it("A skill costs under 60 tokens in the catalogue, however long its description", async () => {
        const names = Array.from({ length: 200 }, (_, number) => `skill-${number}`);
        const long = (name: string) =>
            `---\nname: ${name}\ndescription: ${"Explains everything about it. ".repeat(30)}\n---\nX`;
        const { catalogue } = await open(
            Object.fromEntries(names.map((name) => [`.agents/skills/${name}/SKILL.md`, long(name)]))
        );
        const text = await catalogue();
        expect(text.match(/^- skill-\d+: Explains/gm)).to.have.length(200);
        expect(tokensOf(text.length) / 200).to.be.lessThan(60);
    });

    it("The list shows a skill's origin and that its scripts need approval", async () => {
        const { list } = await open(
            {
                ".agents/skills/pdf/SKILL.md": skill("pdf"),
                ".agents/skills/pdf/scripts/extract.py": "print()",
            },
            { user: { ".agents/skills/letters/SKILL.md": skill("letters") } }
        );
        const text = await list();
        expect(text).to.match(
            /pdf +repository's +\.agents\/skills\/pdf +1 script, North asks before each run/
        );
        expect(text).to.match(/letters +yours +~\/\.agents\/skills\/letters +no scripts/);
    });

    it("A repository's skill shadows the user's of the same name, and the list says so", async () => {
        const { list, use } = await open(
            { ".agents/skills/pdf/SKILL.md": skill("pdf") },
            { user: { ".agents/skills/pdf/SKILL.md": skill("pdf") } }
        );
        expect(await use({ name: "pdf" })).to.have.nested.property("data.owner", "repository");
        expect(await list()).to.contain(
            "~/.agents/skills/pdf: .agents/skills/pdf has the same name."
        );
    });

    it("An unknown skill name gets the nearest one as a suggestion", async () => {
        const { use } = await open({ ".agents/skills/pdf/SKILL.md": skill("pdf") });
        const result = await use({ name: "pfd" });
        expect(result).to.have.nested.property("error.code", "no-such-skill");
        expect(result).to.have.nested.property("error.hint", "Did you mean pdf?");
    });
});
