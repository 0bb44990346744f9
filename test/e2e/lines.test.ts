import { expect } from "chai";
import { enterAnswer } from "../helpers/answers.js";
import { ClaudeWorkplace, IDLE } from "../helpers/claude-workplace.js";

import { reply, text, toolUse } from "../helpers/vendors/messages-server.js";
import { eventually } from "../helpers/north-program.js";
import type { PseudoTerminal } from "../helpers/pseudo-terminal.js";
import { git } from "../workspace/make-folder.js";
import { resultsIn, textsIn } from "./requests.js";

const QUESTION =
    /› n no · y yes · s allow edits until I quit · a always allow edits here · e edit it first *$/;

describe("Chat in a terminal without a cursor", () => {
    let place: ClaudeWorkplace;
    let terminal: PseudoTerminal;

    beforeEach(() => {
        place = new ClaudeWorkplace();
    });
    afterEach(() => place.remove());

    const create = (id: string, file: string) =>
        toolUse(id, "edit_create_file", { path: file, content: "one\n" });

    const ways = [
        { name: "TERM=dumb", flags: [], options: { term: "dumb" } },
        { name: "--plain", flags: ["--plain"], options: {} },
    ];
    for (const { name, flags, options } of ways) {
        it(`Lines are answered, several make one message, and a letter and Enter decide a review: ${name}`, async () => {
            await place.serve([
                reply(text("Some **bold** words.\n"), create("write_1", "new.txt")),
                reply(text("Done.")),
            ]);
            terminal = await place.chat(flags, options);
            terminal.type("First\\\r");
            await terminal.waitUntil(() => terminal.cursor().column === 2);
            terminal.type("Second\r");
            await terminal.waitFor(QUESTION);
            expect(terminal.screen()).to.contain("● Some **bold** words.");
            expect(terminal.screen())
                .to.contain("? Create new.txt? +1 -0\n")
                .and.contain("1 +one\n");
            expect(place.files()).not.to.have.property("new.txt");
            enterAnswer(terminal, "yes");
            await terminal.waitFor("● Done.");
            await terminal.waitFor(IDLE);
            expect(place.files()).to.have.property("new.txt", "one\n");
            expect(textsIn(place.server.requests[0]?.body).join("\n")).to.contain("First\nSecond");
            terminal.press("ctrl-d");
            expect((await terminal.exit()).exitCode).to.equal(0);
            expect(terminal.raw()).not.to.contain("\u001b");
            place.server.assertDone();
        });
    }

    it("The words of a choice answer a question of the model", async () => {
        const question = { question: "Which colour?", choices: ["red", "Dark blue"] };
        await place.serve([reply(toolUse("ask_1", "ask_user", question)), reply(text("Done."))]);
        terminal = await place.chat(["--plain"]);
        terminal.type("Paint it\r");
        await terminal.waitFor("2 Dark blue");
        terminal.type("dark blue\r");
        await terminal.waitFor("● Done.");
        expect(place.server.requests).to.have.length(2);
        const result = JSON.stringify(place.server.requests[1]?.body.messages.at(-1));
        expect(result).to.contain("Dark blue");
        terminal.press("ctrl-d");
        await terminal.exit();
    });

    it("The first prompt is printed once, with the branch in its status", async () => {
        git(place.repository, "symbolic-ref", "HEAD", "refs/heads/trunk");
        await place.serve([]);
        terminal = await place.chat([], { term: "dumb" });
        await terminal.waitFor(/ trunk .*\n❯ *$/);
        terminal.press("ctrl-d");
        await terminal.exit();
        expect(terminal.screen().match(/❯/g)).to.deep.equal(["❯"]);
    });

    it("Input typed before a question never answers it", async () => {
        let open = (): void => {};
        const gate = new Promise<void>((resolve) => (open = resolve));
        await place.serve([{ ...reply(create("write_1", "new.txt")), gate }, reply(text("Done."))]);
        terminal = await place.chat([], { term: "dumb" });
        terminal.type("Write\r");
        await eventually(() => place.server.requests.length === 1, "the request");
        terminal.type("a\ra");
        await terminal.waitFor("queued: a");
        open();
        await terminal.waitFor("(Ignored, typed before the question: a)");
        await terminal.waitFor(QUESTION);
        enterAnswer(terminal, "no", "not now");
        // Both the refusal and the message that waited reach the model.
        await terminal.waitFor("● Done.");
        const { write_1: result } = resultsIn(place.server.requests[1]?.body);
        expect(JSON.stringify(result)).to.contain("not now");
        expect(place.files()).not.to.have.property("new.txt");
        expect(terminal.raw()).not.to.contain("\u001b");
    });

    it("Ctrl+C cancels an answer, and two more quit", async () => {
        const endless = reply(text("One line.\nAnother without an end", 10));
        await place.serve([{ ...endless, interruption: { afterEvents: 4, how: "stall" } }]);
        terminal = await place.chat([], { term: "dumb" });
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
        await terminal.waitFor("Press Ctrl+C again to quit.");
        terminal.press("ctrl-c");
        expect((await terminal.exit()).exitCode).to.equal(0);
        expect(terminal.raw()).not.to.contain("\u001b");
    });
});
