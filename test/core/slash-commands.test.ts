import path from "node:path";
import { expect } from "chai";
import { northCommand } from "../../src/base/north-command.js";

import { mistypedCommand, runSlashLine } from "../../src/core/slash-commands.js";
import type { SlashCommand, SlashContext } from "../../src/plugin/index.js";

const COMMANDS = [
    "summarize",
    "undo",
    "usage",
    "help",
    "model",
    "thinking",
    "name",
    "export",
    "plan",
    "jobs",
].map((name): SlashCommand => ({
    name,
    description: "",
    usage: `/${name}`,
    run: async () => {},
}));

describe("Mistyped commands", () => {
    it("A name from another assistant leads to North's command", () => {
        expect(mistypedCommand("/compact keep the plan", COMMANDS)).to.equal(
            "There is no /compact. Use /summarize."
        );
        expect(mistypedCommand("/restore", COMMANDS)).to.equal("There is no /restore. Use /undo.");
        for (const [typed, use] of [
            ["architect", "plan"],
            ["bashes", "jobs"],
            ["tasks", "jobs"],
            ["effort", "thinking"],
            ["rename", "name"],
            ["save", "export"],
        ]) {
            expect(mistypedCommand(`/${typed} x`, COMMANDS)).to.equal(
                `There is no /${typed}. Use /${use}.`
            );
        }
    });

    it("A command from another assistant that North has elsewhere says where", () => {
        expect(mistypedCommand("/doctor", COMMANDS)).to.equal(
            "There is no /doctor. Run `north doctor` in a shell."
        );
        expect(mistypedCommand("/login", COMMANDS)).to.equal(
            "There is no /login. Run `north login` in a shell."
        );
        expect(mistypedCommand("/add src/a.ts", COMMANDS)).to.equal(
            "There is no /add. @FILE in a message attaches a file."
        );
        for (const typed of ["/run npm test", "/test", "/lint", "/ls"]) {
            expect(mistypedCommand(typed, COMMANDS)).to.contain("begins with ! runs a command");
        }
        expect(mistypedCommand("/diff", COMMANDS)).to.contain("!git diff");
        expect(mistypedCommand("/commit", COMMANDS)).to.contain("Ask for it");
        expect(mistypedCommand("/todos", COMMANDS)).to.contain("shows the model's todos");
        expect(mistypedCommand("/theme", COMMANDS)).to.contain("NO_COLOR=1");
        expect(mistypedCommand("/statusline", COMMANDS)).to.contain('"statusLine"');
        expect(mistypedCommand("/vim", COMMANDS)).to.contain('"editingMode": "vi"');
        expect(mistypedCommand("/ask the migration", COMMANDS)).to.equal(
            "There is no /ask. /mode ask lets the model read and answer only."
        );
    });

    it("An unknown slash command alone is not sent as a message", () => {
        for (const text of ["/frobnicate", " /frobnicate ", "/constructor", "/toString"]) {
            expect(mistypedCommand(text, COMMANDS)).to.match(/help lists the commands/);
        }
    });

    it("A command from an uninstalled plugin suggests that plugin", () => {
        expect(mistypedCommand("/mcp list", COMMANDS)).to.equal(
            `There is no /mcp. \`${northCommand()} plugins link ${path.resolve("plugins/north-plugin-mcp")}\` adds MCP servers.`
        );
    });

    it("A path, a known command and a sentence with a slash are not mistyped commands", () => {
        for (const text of ["/tmp is full", "/etc/hosts", "/help", "see /hlep", "either/or"]) {
            expect(mistypedCommand(text, COMMANDS), text).to.equal(undefined);
        }
    });
});

describe("A line of slash commands", () => {
    it("If a command fails, the line's message is not sent but handed back", async () => {
        const failure = new Error("There is no mode foo.");
        const run = async (argument: string) => {
            if (argument === "foo") throw failure;
        };
        const mode: SlashCommand = {
            ...{ name: "mode", description: "", usage: "/mode [ask|agent]" },
            takesOneWord: true,
            run,
        };
        const failed: unknown[] = [];
        const send = (text: string) =>
            runSlashLine(text, {
                session: { noteCommand: () => {} },
                context: { commands: [mode] } as unknown as SlashContext,
                signal: new AbortController().signal,
                advise: () => {},
                note: () => {},
                fail: (...all) => failed.push(all),
            });
        expect(await send("please /mode foo explain it")).to.equal("");
        expect(failed).to.deep.equal([[failure, "please  explain it"]]);
        expect(await send("please /mode ask explain it")).to.equal("please  explain it");
    });
});
