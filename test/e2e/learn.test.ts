import * as fs from "node:fs";
import path from "node:path";
import { expect } from "chai";
import { ClaudeWorkplace } from "../helpers/claude-workplace.js";
import { failure, reply, text, toolUse, type Reply } from "../helpers/vendors/messages-server.js";
import { projectFolder } from "../../src/storage/files/directories.js";
import { textsIn } from "./requests.js";

describe("learning a project", () => {
    let place: ClaudeWorkplace;

    beforeEach(() => {
        place = new ClaudeWorkplace({ "README.md": "# A clock\n" }).reusingProcess();
    });
    afterEach(() => place.remove());

    const folder = () => projectFolder(place.data, place.repository);

    const north = (...args: string[]) => place.run(args);

    const about = (what: string): Reply[] =>
        Array.from({ length: 10 }, (_, index) => reply(text(`${what} ${index + 1}`)));

    it("`north learn` writes a profile for new conversations, shows it and forgets it", async () => {
        await place.serve([
            reply(toolUse("call_1", "read_readme", {})),
            ...about("Found"),
            reply(text("Hello.")),
        ]);
        const end = await north("learn");
        expect(end.code, end.stderr).to.equal(0);
        expect(end.stderr).to.contain("  0%  Project Summary").and.to.contain(" 90%  Safety");
        expect(end.stdout).to.match(
            /^10 of 10 topics learned for (<)?\$[\d.]+: .*profile\.md\.\n$/
        );

        const shown = await north("learn", "--show");
        expect(shown.stdout).to.contain("# Project Profile\n\n## Project Summary\n\nFound 1\n");
        expect(shown.stdout).to.contain("## Safety Rails and Footguns\n\nFound 10\n");

        await north("-p", "Hi");
        expect(textsIn(place.server.requests.at(-1)?.body).join("\n")).to.contain("Found 7");
        const costs = JSON.parse((await north("costs", "--json")).stdout);
        expect(costs.rows[0].requests).to.equal(12);

        expect((await north("learn", "--forget")).stdout).to.equal("Profile deleted.\n");
        expect((await north("learn", "--show")).code).to.equal(1);
        const logs = fs.readdirSync(path.join(place.data, "conversations"));
        expect(logs.filter((name) => name.endsWith(".jsonl"))).to.have.lengthOf(11);
        expect((await north("conversations")).stdout)
            .to.contain("Hi")
            .and.not.contain("Topic");
        const nested = (await north("conversations", "--nested")).stdout;
        expect(nested.match(/ learn +Topic: /g)).to.have.lengthOf(10);
    });

    it("`north learn` without a key does not advise the offline model, which cannot learn", async () => {
        const end = await place.run(["learn"], { env: { ANTHROPIC_API_KEY: undefined } });
        expect([end.code, end.stderr]).to.deep.equal([
            1,
            "There is no API key for any model.\n" +
                "  Set ANTHROPIC_API_KEY, or run `north login anthropic`.\n",
        ]);
    });

    it("`north learn` keeps the earlier section of a topic that fails", async () => {
        const refused = failure(400, "invalid_request_error", "Not like this.");
        await place.serve([...about("Old"), refused, ...about("New").slice(1)]);
        await north("learn");
        await north("learn");
        const { stdout } = await north("learn", "--show", "--json");
        const { profile } = JSON.parse(stdout);
        expect(profile).to.contain("Old 1").and.to.contain("New 2").and.not.to.contain("Old 2");
    });

    it("`north learn --write` puts the profile into a file after a review, and keeps other text", async () => {
        await place.serve(about("Found"));
        place.write("AGENTS.md", "# Ours\n\nUse tabs.\n");
        const ours = () => place.files()["AGENTS.md"] ?? "";
        const asked = await north("learn", "--write", "AGENTS.md");
        expect(asked.code).to.equal(2);
        expect(asked.stderr).to.contain("Add --force");
        const misplaced = await north("learn", "--write", "../AGENTS.md", "--force");
        expect(misplaced.stderr).to.contain("is outside the repository");
        expect(place.server.requests, "nothing is paid for in vain").to.have.lengthOf(0);
        expect(ours()).to.equal("# Ours\n\nUse tabs.\n");

        const written = await north("learn", "--write", "AGENTS.md", "--force");
        expect(written.code, written.stderr).to.equal(0);
        expect(written.stdout).to.contain("+## Project Summary");
        expect(ours()).to.match(
            /^# Ours\n\nUse tabs\.\n\n<!--[^]*Found 1\n[^]*Found 10\n[^]*-->\n$/
        );
        expect(place.server.requests).to.have.lengthOf(10);
        place.write("AGENTS.md", `${ours().replace("Found 1\n", "Old\n")}\nMore of ours.\n`);
        await north("learn", "--write", "AGENTS.md", "--force");
        expect(ours()).to.contain("Found 1\n").and.not.contain("Old");
        expect(ours()).to.match(/^# Ours[^]*\nMore of ours\.\n$/);
        const again = await north("learn", "--write", "AGENTS.md", "--force");
        expect(again.stdout).to.contain("AGENTS.md has this profile already.");

        const outside = await north("learn", "--write", "../AGENTS.md", "--force");
        expect(outside.code).to.equal(1);
        expect(fs.existsSync(path.join(place.folder, "AGENTS.md"))).to.equal(false);
    });

    it("Learning is offered in three chats of a project, then no more", async () => {
        await place.serve([]);
        fs.rmSync(path.join(folder(), "declined.json"));
        const offered = [];
        for (let chat = 1; chat <= 4; chat += 1) {
            const terminal = place.open();
            await terminal.waitFor("❯");
            terminal.type("/quit\r");
            await terminal.exit();
            offered.push(terminal.screen().includes("/learn studies this repository"));
        }
        expect(offered).to.deep.equal([true, true, true, false]);
    });

    it("is offered in a chat without a question, and a no is remembered", async () => {
        await place.serve([]);
        fs.rmSync(path.join(folder(), "declined.json"));
        const terminal = place.open();
        await terminal.waitFor("Welcome to North.");
        await terminal.waitFor("/learn studies this repository");
        terminal.type("/learn no\r");
        await terminal.waitFor("North will not offer this again.");
        terminal.type("/quit\r");
        await terminal.exit();
        expect(fs.existsSync(path.join(folder(), "declined.json"))).to.equal(true);
        expect(place.server.requests).to.have.lengthOf(0);
    });
});
