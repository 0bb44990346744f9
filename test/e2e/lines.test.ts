import { expect } from "chai";

import {
    reply,
    startMessagesServer,
    text,
    toolUse,
    type MessagesServer,
} from "../helpers/messages-server.js";
import { eventually, PROGRAM, Workplace } from "../helpers/north-program.js";
import { openTerminal, type PseudoTerminal } from "../helpers/pseudo-terminal.js";
import { resultsIn, textsIn } from "./requests.js";

const IDLE = /❯ *$/;
const QUESTION = /a accept · y always accept edits · r reject · e edit *$/;

describe("the chat in a terminal that cannot move its cursor", () => {
    let place: Workplace;
    let server: MessagesServer;
    let terminal: PseudoTerminal;

    beforeEach(() => {
        place = new Workplace();
    });
    afterEach(async () => {
        await terminal.close();
        await server.close();
        await place.remove();
    });

    async function chat(): Promise<void> {
        terminal = openTerminal({
            command: process.execPath,
            args: [PROGRAM],
            cwd: place.repository,
            env: place.environment({
                ANTHROPIC_API_KEY: "test-key",
                ANTHROPIC_BASE_URL: server.url,
            }),
            term: "dumb",
            columns: 100,
            rows: 40,
        });
        await terminal.waitFor(IDLE);
    }

    const create = (id: string, file: string) =>
        toolUse(id, "edit_create_file", { path: file, content: "one\n" });

    it("answers in plain lines, takes several as one message, and reviews by a letter and Enter", async () => {
        server = await startMessagesServer({
            script: [
                reply(text("Some **bold** words.\n"), create("write_1", "new.txt")),
                reply(text("Done.")),
            ],
        });
        await chat();
        terminal.type("First\\\r");
        await terminal.waitUntil(() => terminal.cursor().column === 2);
        terminal.type("Second\r");
        await terminal.waitFor(QUESTION);
        expect(terminal.screen()).to.contain("● Some **bold** words.");
        expect(terminal.screen()).to.contain("new.txt (new file) +1 -0");
        terminal.press("enter");
        await terminal.waitUntil((screen) => screen.split("a accept").length === 3);
        expect(place.files()).not.to.have.property("new.txt");
        terminal.type("a\r");
        await terminal.waitFor("● Done.");
        await terminal.waitFor(IDLE);
        expect(place.files()).to.have.property("new.txt", "one\n");
        expect(textsIn(server.requests[0]?.body).join("\n")).to.contain("First\nSecond");
        terminal.press("ctrl-d");
        expect((await terminal.exit()).exitCode).to.equal(0);
        expect(terminal.raw()).not.to.contain("\u001b");
        server.assertDone();
    });

    it("lets nothing answer that was typed before the question", async () => {
        let open = (): void => {};
        const gate = new Promise<void>((resolve) => (open = resolve));
        server = await startMessagesServer({
            script: [{ ...reply(create("write_1", "new.txt")), gate }, reply(text("Done."))],
        });
        await chat();
        terminal.type("Write\r");
        await eventually(() => server.requests.length === 1, "the request");
        terminal.type("a\ra");
        await terminal.waitFor("queued: a");
        open();
        await terminal.waitFor("(Typed before the question, and dropped: a)");
        await terminal.waitFor(QUESTION);
        terminal.press("enter");
        await terminal.waitUntil((screen) => screen.split("a accept").length === 3);
        terminal.type("r\r");
        await terminal.waitFor(/Reason \(Enter for none\): *$/);
        terminal.type("not now\r");
        // Both the refusal and the message that waited reach the model.
        await terminal.waitFor("● Done.");
        const { write_1: result } = resultsIn(server.requests[1]?.body);
        expect(JSON.stringify(result)).to.contain("not now");
        expect(place.files()).not.to.have.property("new.txt");
        expect(terminal.raw()).not.to.contain("\u001b");
    });

    it("stops an answer by Ctrl+C and leaves by two more", async () => {
        const endless = reply(text("One line.\nAnother without an end", 10));
        server = await startMessagesServer({
            script: [{ ...endless, interruption: { afterEvents: 4, how: "stall" } }],
        });
        await chat();
        terminal.type("Talk\r");
        await terminal.waitFor("● One line.");
        terminal.press("ctrl-c");
        await terminal.waitFor("[Cancelled]");
        await terminal.waitFor(IDLE);
        terminal.type("/model\r");
        await terminal.waitFor(/Number or words \(Enter for none\): *$/);
        terminal.type("opus 4.5\r");
        await terminal.waitFor(IDLE);
        terminal.press("ctrl-c");
        await terminal.waitFor("Press Ctrl+C again to leave.");
        terminal.press("ctrl-c");
        expect((await terminal.exit()).exitCode).to.equal(0);
        expect(terminal.raw()).not.to.contain("\u001b");
    });
});
