import { expect } from "chai";
import { auto } from "../../../src/builtin/slash/auto.js";
import { help } from "../../../src/builtin/slash/help.js";
import * as builtin from "../../../src/builtin/slash-commands.js";
import type { SlashCommand } from "../../../src/plugin/index.js";
import { openSlash } from "../../helpers/slash-session.js";

const commands: readonly SlashCommand[] = Object.values(builtin);

describe("/help", () => {
    it("Every slash command has a consistent name, description and usage", () => {
        for (const { name, usage, description } of commands) {
            expect(name).to.match(/^[a-z-]+$/);
            expect(usage.split(" ")[0]).to.equal(`/${name}`);
            expect(description).to.match(/^[A-Z].*\.$/);
        }
    });

    it("/help lists every command and the keys", async () => {
        const { context, text } = openSlash({ commands });
        await help.run("", context);
        for (const { usage, description } of commands) {
            expect(text()).to.contain(usage).and.to.contain(description);
        }

        expect(text()).to.contain("Ctrl+C twice, Ctrl+D").and.not.to.contain("Plugin tools");
    });

    it("/help lists no keys that a terminal which edits lines itself lacks", async () => {
        const { context, text } = openSlash({ commands });
        await help.run("", { ...context, screen: { ...context.screen, isLineTerminal: true } });
        const keys = text().slice(text().lastIndexOf("Keys"));
        expect(keys).to.contain("Ctrl+C twice, Ctrl+D").and.contain("@");
        expect(keys).not.to.match(/Tab|Esc|Ctrl\+R|Alt/);
    });

    it("/help groups North's commands by what they are for and ends with the keys, which stay on the screen", async () => {
        const other = { ...auto, name: "zap", usage: "/zap", origin: "Markdown" };
        const { context, text } = openSlash({ commands: [...commands, other] });
        await help.run("", context);
        const lines = text().split("\n");
        const titles = lines.filter((line) => /^[A-Z]/.test(line));
        expect(titles).to.deep.equal([
            "From plugins and Markdown files",
            "North",
            "Costs and context",
            "Approvals and commands",
            "Conversation",
            "Files",
            "Task",
            "Keys",
        ]);
        const others = lines.slice(1, lines.indexOf("North") - 1);
        expect(others.map((line) => line.trim().split(" ")[0])).to.deep.equal(["/zap"]);
    });

    it("/help keeps its second column aligned below an overlong usage", async () => {
        const { context, text } = openSlash({ commands });
        await help.run("", context);
        const lines = text().split("\n");
        const index = lines.findIndex((line) => line.startsWith("  /auto ["));
        expect(lines[index]?.trim()).to.equal(auto.usage);
        const columns = lines.flatMap(
            (line) => /^ {2}(?:\/\S.*? )? +(?=[A-Z])/.exec(line)?.[0].length ?? []
        );
        expect(columns).to.have.length(commands.length);
        expect(new Set(columns)).to.have.lengthOf(1);
        expect(columns[0]).to.be.at.most(32);
        expect(lines[index + 1]?.trim()).to.equal(auto.description);
    });

    it("/help lists the tools of plugins, each with its plugin", async () => {
        const pluginTools = [
            { name: "count", plugin: "north-plugin-words" },
            { name: "files__read", plugin: "north-plugin-mcp" },
        ];
        const { context, text } = openSlash({ pluginTools });
        await help.run("", context);
        expect(text().split("\n").slice(0, 3)).to.deep.equal([
            "Plugin tools",
            "  count        north-plugin-words",
            "  files__read  north-plugin-mcp",
        ]);
    });
});
