import { expect } from "chai";

import { mistypedCommand } from "../../src/core/slash-commands.js";
import type { SlashCommand } from "../../src/plugin/index.js";

const COMMANDS = ["summarize", "undo", "usage", "help", "model"].map((name): SlashCommand => ({
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
        expect(mistypedCommand("/rewind", COMMANDS)).to.equal("There is no /rewind. Use /undo.");
    });

    it("An unknown slash command alone is not sent as a message", () => {
        for (const text of ["/frobnicate", " /frobnicate "]) {
            expect(mistypedCommand(text, COMMANDS)).to.match(/help lists the commands/);
        }
    });

    it("A command from an uninstalled plugin suggests that plugin", () => {
        expect(mistypedCommand("/mcp list", COMMANDS)).to.equal(
            "There is no /mcp. `north plugins install north-plugin-mcp` adds MCP servers."
        );
    });

    it("A path, a known command and a sentence with a slash are not mistyped commands", () => {
        for (const text of ["/tmp is full", "/etc/hosts", "/help", "see /hlep", "either/or"]) {
            expect(mistypedCommand(text, COMMANDS), text).to.equal(undefined);
        }
    });
});
