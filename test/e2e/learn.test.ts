import * as fs from "node:fs";
import path from "node:path";
import { expect } from "chai";
import {
    failure,
    reply,
    startMessagesServer,
    text,
    toolUse,
    type MessagesServer,
    type Reply,
} from "../helpers/messages-server.js";
import { PROGRAM, Workplace } from "../helpers/north-program.js";
import { openTerminal, type PseudoTerminal } from "../helpers/pseudo-terminal.js";
import { projectFolder } from "../../src/storage/directories.js";
import { textsIn } from "./requests.js";

describe("learning a project", () => {
    let place: Workplace;
    let server: MessagesServer;
    let terminal: PseudoTerminal | undefined;

    beforeEach(() => {
        place = new Workplace({ "README.md": "# A clock\n" });
    });
    afterEach(async () => {
        await terminal?.close();
        terminal = undefined;
        await server.close();
        await place.remove();
    });

    const env = () => ({ ANTHROPIC_API_KEY: "test-key", ANTHROPIC_BASE_URL: server.url });
    const folder = () => projectFolder(place.data, place.repository);

    async function north(...args: string[]) {
        return place.run(args, { env: env() });
    }

    async function serve(script: Reply[]): Promise<void> {
        server = await startMessagesServer({ script });
    }

    const about = (what: string): Reply[] =>
        Array.from({ length: 10 }, (_, index) => reply(text(`${what} ${index + 1}`)));

    it("writes a profile that conversations begin with, shows it and forgets it", async () => {
        await serve([
            reply(toolUse("call_1", "read_readme", {})),
            ...about("Found"),
            reply(text("Hello.")),
        ]);
        const end = await north("learn");
        expect(end.code, end.stderr).to.equal(0);
        expect(end.stderr).to.contain("  0 %  Project Summary").and.to.contain(" 90 %  Safety");
        expect(end.stdout).to.match(
            /^10 of 10 topics learned for (<)?\$[\d.]+: .*profile\.md\.\n$/
        );

        const shown = await north("learn", "--show");
        expect(shown.stdout).to.contain("# Project Profile\n\n## Project Summary\n\nFound 1\n");
        expect(shown.stdout).to.contain("## Safety Rails and Footguns\n\nFound 10\n");

        await north("-p", "Hi");
        expect(textsIn(server.requests.at(-1)?.body).join("\n")).to.contain("Found 7");
        const costs = JSON.parse((await north("costs", "--json")).stdout);
        expect(costs.rows[0].requests).to.equal(12);

        expect((await north("learn", "--forget")).stdout).to.equal("Forgotten.\n");
        expect((await north("learn", "--show")).code).to.equal(1);
        const logs = fs.readdirSync(path.join(place.data, "conversations"));
        expect(logs.filter((name) => name.endsWith(".jsonl"))).to.have.lengthOf(1);
    });

    it("keeps the section of before where a topic fails", async () => {
        const refused = failure(400, "invalid_request_error", "Not like this.");
        await serve([...about("Old"), refused, ...about("New").slice(1)]);
        await north("learn");
        await north("learn");
        const { stdout } = await north("learn", "--show", "--json");
        const { profile } = JSON.parse(stdout);
        expect(profile).to.contain("Old 1").and.to.contain("New 2").and.not.to.contain("Old 2");
    });

    it("asks once in a chat, and remembers a no", async () => {
        await serve([]);
        fs.rmSync(path.join(folder(), "declined.json"));
        terminal = openTerminal({
            command: process.execPath,
            args: [PROGRAM],
            cwd: place.repository,
            env: place.environment(env()),
            columns: 110,
            rows: 30,
        });
        await terminal.waitFor("Welcome to North.");
        await terminal.waitFor("Get to know repository now");
        await terminal.waitFor("n no");
        terminal.press("n");
        await terminal.waitFor("No.");
        terminal.type("/quit\r");
        await terminal.exit();
        expect(fs.existsSync(path.join(folder(), "declined.json"))).to.equal(true);
        expect(server.requests).to.have.lengthOf(0);
    });
});
