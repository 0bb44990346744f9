import { symlinkSync } from "node:fs";
import path from "node:path";
import { expect } from "chai";
import { markdownCommands } from "../../../src/builtin/commands/markdown-commands.js";
import { parseSlashLine } from "../../../src/core/slash-line.js";
import type {
    OutgoingMessage,
    SlashCommand,
    SlashContext,
    SlashScreen,
} from "../../../src/plugin/index.js";
import { stubServices } from "../../helpers/stub-services.js";
import { makeFolder, makeRepository, type Tree, writeTree } from "../../workspace/make-folder.js";

const OUTCOME = { stdout: "", stderr: "", exitCode: 0, durationMs: 1, truncated: false };

interface Shell {
    /** What commands print contained; others cannot run so. */
    readonly contained?: Readonly<Record<string, string>>;
    readonly allows?: boolean;
}

async function open(tree: Tree, own: Tree = {}, taken: readonly string[] = []) {
    const root = makeRepository(tree);
    const configFolder = makeFolder();
    writeTree(configFolder, own);
    return { root, configFolder, commands: await markdownCommands({ root, configFolder, taken }) };
}

/** Runs a command of the chat and resolves with what it sent, ran, asked and printed. */
async function run(
    commands: readonly SlashCommand[],
    line: string,
    { contained = {}, allows = false }: Shell = {}
) {
    const sent: OutgoingMessage[] = [];
    const ran: string[] = [];
    const asked: string[] = [];
    const printed: string[] = [];
    const screen: Partial<SlashScreen> = {
        print: (text) => void printed.push(text),
        during: (_label, work) => work(new AbortController().signal, () => {}),
        confirm: async (_question, { details = [] } = {}) => {
            asked.push(...details);
            return allows;
        },
    };
    const services = stubServices({
        shell: {
            contained: async (command) => {
                const stdout = contained[command];
                return stdout === undefined ? undefined : { ...OUTCOME, stdout };
            },
            run: async (command) => {
                ran.push(command);
                return { ...OUTCOME, stdout: `real ${command}` };
            },
        },
    });
    const context: SlashContext = {
        ...services,
        commands,
        screen: screen as SlashScreen,
        send: async (message) => {
            sent.push(message);
            return { stopReason: "end", text: "", costUsd: 0 };
        },
        reviewDraft: () => Promise.reject(new Error("There is no draft.")),
    };
    const { invocations } = parseSlashLine(line, commands);
    for (const { name, argumentsText } of invocations) {
        const command = commands.find((each) => each.name === name);
        await command?.run(argumentsText, context);
    }
    const [message] = sent;
    return {
        text: message?.text,
        typed: message?.typed,
        context: message?.context,
        ran,
        asked,
        printed,
    };
}

describe("Markdown commands", () => {
    it("Folders that are linked to themselves do not hide the others, or keep North from starting", async () => {
        const root = makeRepository({ ".claude/commands/mine.md": "Say it.\n" });
        for (const name of ["a", "b", "c"]) {
            symlinkSync(".", path.join(root, ".claude/commands", name));
        }
        const found = await markdownCommands({ root, configFolder: makeFolder(), taken: [] });
        expect(found.map(({ name }) => name)).to.deep.equal(["mine"]);
    });

    it("Files of all folders are commands, with their folders as prefixes and their origin", async () => {
        const { commands, configFolder } = await open(
            {
                ".north/commands/release.md": "Make a release.",
                ".claude/commands/frontend/component.md":
                    "---\ndescription: Creates a component\nargument-hint: [name] [variant]\n---\nCreate $1.",
                ".claude/commands/notes.txt": "No command.",
            },
            { "commands/letter.md": "---\nargument-hint: [to]\n---\nWrite a letter." }
        );
        expect(
            commands.map(({ usage, description, origin }) => [usage, description, origin])
        ).to.deep.equal([
            ["/release [arguments]", "Make a release.", ".north/commands/release.md"],
            [
                "/frontend:component [name] [variant]",
                "Creates a component",
                ".claude/commands/frontend/component.md",
            ],
            ["/letter [to]", "Write a letter.", path.join(configFolder, "commands/letter.md")],
        ]);
    });

    it("Every form of front matter that published commands use is read, with its text", async () => {
        const forms: Readonly<Record<string, readonly [matter: string, hint: string]>> = {
            "two-hints": [
                "argument-hint: [branch-name] [description]",
                "[branch-name] [description]",
            ],
            required: ["argument-hint: <required> [optional]", "<required> [optional]"],
            choice: ['argument-hint: "on | off | status"', "on | off | status"],
            comma: ["argument-hint: [optional folder, e.g. docs]", "[optional folder, e.g. docs]"],
            tools: [
                "allowed-tools: Bash(git add:*), Bash(git commit -m:*)\nmodel: claude-3-5-haiku-20241022",
                "[arguments]",
            ],
            listed: ["allowed-tools:\n  - Read\n  - Bash(gh:*)\nmodel: sonnet", "[arguments]"],
            bracketed: [
                'allowed-tools: ["Bash(${CLAUDE_PLUGIN_ROOT}/run.sh:*)", "Read"]\ndisable-model-invocation: true',
                "[arguments]",
            ],
        };
        const body = "Work on $ARGUMENTS by @docs/$1.md.";
        const tree = Object.entries(forms).flatMap(([name, [matter]]) => {
            const text = `---\ndescription: Does it: ${name}\n${matter}\n---\n\n${body}\n`;
            return [
                [`.claude/commands/${name}.md`, text],
                [`.claude/commands/win/${name}.md`, `\ufeff${text.replaceAll("\n", "\r\n")}`],
            ];
        });
        const { commands } = await open({
            ...Object.fromEntries(tree),
            ".claude/commands/plain.md": "# Review a change\n\nLook at $1.\n",
        });
        const known = commands.map(({ usage, description }) => [usage, description]);
        for (const [name, [, hint]] of Object.entries(forms)) {
            expect(known).to.deep.include([`/${name} ${hint}`, `Does it: ${name}`]);
            expect(known).to.deep.include([`/win:${name} ${hint}`, `Does it: ${name}`]);
            const { text } = await run(commands, `/win:${name} one two`);
            expect(text).to.equal("Work on one two by @docs/one.md.");
        }
        expect(known).to.deep.include(["/plain [arguments]", "Review a change"]);
    });

    it("All arguments and single arguments are substituted", async () => {
        const { commands } = await open({
            ".claude/commands/fix-issue.md": "Fix issue #$ARGUMENTS by our standards.",
            ".claude/commands/review-pr.md":
                "---\nargument-hint: [number] [priority] [assignee]\n---\nReview #$1 with priority $2 for $3. Costs $10.",
            ".claude/commands/plain.md": "Explain the build.",
        });
        expect((await run(commands, "/fix-issue 123 high")).text).to.equal(
            "Fix issue #123 high by our standards."
        );
        expect((await run(commands, '/review-pr 456 "very high" alice')).text).to.equal(
            "Review #456 with priority very high for alice. Costs $10."
        );
        expect((await run(commands, "/plain the tests")).text).to.equal(
            "Explain the build.\n\nARGUMENTS: the tests"
        );
    });

    it("A placeholder without an argument stays, and so does an escaped one", async () => {
        const { commands } = await open({
            ".claude/commands/clean.md": "Run `git branch -v | awk '{print $1}'`.",
            ".claude/commands/mail.md": "Send $1 to \\$1 and \\$ARGUMENTS.",
        });
        expect((await run(commands, "/clean")).text).to.equal(
            "Run `git branch -v | awk '{print $1}'`."
        );
        expect((await run(commands, "/mail it")).text).to.equal("Send it to $1 and $ARGUMENTS.");
    });

    it("A file that uses $0 or $ARGUMENTS[0] numbers its arguments from zero", async () => {
        const { commands, root } = await open({
            ".claude/commands/short.md": "Move $0 to $1.",
            ".claude/commands/long.md": "Move $ARGUMENTS[0] to $1, $ARGUMENTS[2].",
            ".claude/commands/place.md": "Look in ${CLAUDE_PROJECT_DIR}/docs.",
        });
        expect((await run(commands, "/short a b")).text).to.equal("Move a to b.");
        expect((await run(commands, "/long a b")).text).to.equal("Move a to b, $ARGUMENTS[2].");
        expect((await run(commands, "/place")).text).to.equal(`Look in ${root}/docs.`);
    });

    it("A block of commands runs as one", async () => {
        const { commands } = await open({
            ".claude/commands/look.md": "Versions:\n```!\nnode -v\nnpm -v $1\n```\nCompare.",
        });
        const contained = { "node -v\nnpm -v x": "20\n10" };
        const { text, context } = await run(commands, "/look x", { contained });
        expect(text).to.equal(
            "Versions:\n```\nnode -v\nnpm -v x\n```\n(its output is attached)\nCompare."
        );
        expect(context?.[0]?.text).to.contain("20\n10");
    });

    it("Blocks of commands that never end are text, found in linear time", async () => {
        const body = "```!\n".repeat(200_000);
        const { commands } = await open({ ".claude/commands/endless.md": body });
        expect((await run(commands, "/endless")).text).to.equal(body.trim());
    });

    it("A command file of any published size is sent whole, and a larger one is refused", async () => {
        const { commands, root } = await open({
            ".claude/commands/large.md": `${"All of it. ".repeat(10_000)}The end.`,
        });
        expect((await run(commands, "/large")).text).to.match(/The end\.$/);
        writeTree(root, { ".claude/commands/large.md": "x".repeat(2 ** 21) });
        await run(commands, "/large").then(
            () => expect.fail("It ran."),
            (error: Error) => expect(error.message).to.contain("large.md is over 1 MB")
        );
    });

    it("A repository with hundreds of commands hides none, and none of the user's own", async () => {
        const many = Array.from({ length: 400 }, (_, index) => [
            `.claude/commands/c${index}.md`,
            "Do it.",
        ]);
        const own = { "commands/mine.md": "Mine." };
        const { commands } = await open(Object.fromEntries(many), own);
        expect(commands).to.have.length(401);
        expect((await run(commands, "/c399")).text).to.equal("Do it.");
        expect((await run(commands, "/mine")).text).to.equal("Mine.");
    });

    it("Files mentioned in a Markdown command are attached", async () => {
        const { commands } = await open({
            ".claude/commands/compare.md": "Compare @src/old.js with @$1.",
        });
        const { typed } = await run(commands, "/compare src/new.js");
        expect(typed).to.equal("Compare @src/old.js with @src/new.js.");
    });

    it("Output of contained commands is included as data without a question", async () => {
        const { commands } = await open({
            ".claude/commands/commit.md":
                "---\nallowed-tools: Bash(git add:*), Bash(git status:*)\ndescription: Create a commit\n---\n\n- Status: !`git status`\n- Diff: !`git diff $1`\n\nCreate one commit.",
        });
        const contained = { "git status": "clean", "git diff HEAD": "" };
        const { text, context, asked, ran } = await run(commands, "/commit HEAD", { contained });
        expect(text).to.equal(
            "- Status: `git status` (its output is attached)\n- Diff: `git diff HEAD` (its output is attached)\n\nCreate one commit."
        );
        expect(context?.map(({ text: told }) => told)).to.deep.equal([
            "Output of `git status`; data:\nclean",
            "Output of `git diff HEAD`; data:\n",
        ]);
        expect([asked, ran]).to.deep.equal([[], []]);
    });

    it("A command that cannot run contained is asked about, and a no sends nothing", async () => {
        const { commands } = await open({
            ".claude/commands/deploy.md": "!`make deploy` Check it.",
        });
        const denied = await run(commands, "/deploy", { allows: false });
        expect(denied).to.deep.include({ text: undefined, ran: [], asked: ["make deploy"] });
        expect(denied.printed).to.deep.equal(["Not sent: one of its commands did not run."]);
        const allowed = await run(commands, "/deploy", { allows: true });
        expect(allowed).to.deep.include({ ran: ["make deploy"], asked: ["make deploy"] });
        expect(allowed.context?.[0]?.text).to.contain("real make deploy");
    });

    it("Arguments cannot inject commands into a Markdown command", async () => {
        const { commands } = await open({ ".claude/commands/say.md": "Say $ARGUMENTS" });
        const { text, ran, asked } = await run(commands, "/say !`id` and $1", { allows: true });
        expect(text).to.equal("Say !`id` and $1");
        expect([ran, asked]).to.deep.equal([[], []]);
    });

    it("A taken name gets its owner as a prefix, and every command stays reachable", async () => {
        const { commands } = await open(
            { ".north/commands/clear.md": "Ours.", ".claude/commands/review.md": "Project's." },
            { "commands/review.md": "Mine." },
            ["clear"]
        );
        const names = commands.map(({ name }) => name);
        expect(names).to.deep.equal(["project:clear", "review", "user:review"]);
        expect((await run(commands, "/user:review")).text).to.equal("Mine.");
    });

    it("A shipped command gives way to one of the same name", async () => {
        const shippedFolder = makeFolder({ "security-review.md": "# Look for holes\n\nLook." });
        const named = async (files: Record<string, string>) => {
            const root = makeRepository(files);
            const commands = await markdownCommands({ root, shippedFolder, taken: [] });
            return commands.map(({ name, description }) => [name, description]);
        };
        expect(await named({})).to.deep.equal([["security-review", "Look for holes"]]);
        expect(await named({ ".claude/commands/security-review.md": "Ours." })).to.deep.equal([
            ["security-review", "Ours."],
            ["north:security-review", "Look for holes"],
        ]);
    });

    it("A command that the repository has for several assistants is there once", async () => {
        const { commands } = await open({
            ".cursor/commands/speckit.plan.md": "Cursor's.",
            ".claude/commands/speckit.plan.md": "Claude's.",
            ".opencode/command/issues.md": "Find $1.",
            ".github/prompts/Fix.prompt.md": "Fix it.",
        });
        const names = commands.map(({ name }) => name);
        expect(names).to.deep.equal(["speckit.plan", "issues", "fix"]);
        expect((await run(commands, "/speckit.plan")).text).to.equal("Claude's.");
    });

    it("Folders and files that link out of the repository provide no commands", async () => {
        const outside = makeFolder({ "secret.md": "Secret." });
        const { root } = await open({ ".claude/commands/ok.md": "Fine." });
        symlinkSync(path.join(outside, "secret.md"), path.join(root, ".claude/commands/link.md"));
        symlinkSync(outside, path.join(root, ".claude/commands/folder"));
        const linked = makeRepository();
        symlinkSync(outside, path.join(linked, ".north"));
        const names = async (from: string) =>
            (await markdownCommands({ root: from, taken: [] })).map(({ name }) => name);
        expect(await names(root)).to.deep.equal(["ok"]);
        expect(await names(linked)).to.deep.equal([]);
    });

    it("A changed command file takes effect at once, and a missing one is reported", async () => {
        const { commands, root } = await open({ ".north/commands/a.md": "One." });
        writeTree(root, { ".north/commands/a.md": "Two." });
        expect((await run(commands, "/a")).text).to.equal("Two.");
        writeTree(root, { ".north/commands/a.md": "" });
        await run(commands, "/a").then(
            () => expect.fail("It ran."),
            (error: Error) => expect(error.message).to.equal(".north/commands/a.md is gone.")
        );
    });
});
