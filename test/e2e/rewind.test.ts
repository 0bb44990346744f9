import { expect } from "chai";
import { answer } from "../helpers/answers.js";
import { ClaudeWorkplace } from "../helpers/claude-workplace.js";
import { reply, text, toolUse } from "../helpers/vendors/messages-server.js";

describe("Going back to the end of a turn", () => {
    let place: ClaudeWorkplace;

    beforeEach(() => {
        place = new ClaudeWorkplace();
    });
    afterEach(() => place.remove());

    const create = (name: string) => [
        reply(toolUse(name, "edit_create_file", { path: `${name}.txt`, content: "x\n" })),
        reply(text(`There is ${name}.`)),
    ];
    const names = () => Object.keys(place.files());

    it("Undoes later edits once they are confirmed, and the model does not hear of later turns", async () => {
        await place.serve([...["one", "two", "three"].flatMap(create), reply(text("Understood."))]);
        const terminal = await place.chat(["--accept-edits"]);
        for (const number of ["one", "two", "three"]) {
            terminal.type(`Make ${number}\r`);
            await terminal.waitFor(`There is ${number}.`);
        }
        terminal.type("/rewind 1\r");
        await answer(terminal, "no", { takesReason: false });
        await terminal.waitFor("Nothing changed.");
        expect(names()).to.deep.equal(["one.txt", "three.txt", "two.txt"]);
        terminal.type("/rewind 1\r");
        await answer(terminal, "yes");
        await terminal.waitFor(/Undid the later edits to 2 files\.\s+Back at turn 1\./);
        expect(names()).to.deep.equal(["one.txt"]);
        terminal.type("Go on\r");
        await terminal.waitFor("Understood.");
        terminal.type("/quit\r");
        await terminal.exit();
        const last = JSON.stringify(place.server.requests.at(-1)?.body.messages);
        expect(last)
            .to.contain("Make one")
            .and.not.to.match(/two|three/);
    });

    it("The last turn, and one that the conversation does not have, are refused before anything is undone or copied", async () => {
        await place.serve(create("one"));
        const terminal = await place.chat(["--accept-edits"]);
        terminal.type("Make one\r");
        await terminal.waitFor("There is one.");
        terminal.type("/rewind 7\r");
        await terminal.waitFor("has 1 turn.");
        terminal.type("/rewind\r");
        await terminal.waitFor("/rewind TURN");
        terminal.type("/rewind 1\r");
        await terminal.waitFor("Turn 1 is the last one.");
        expect(place.conversationIds()).to.have.length(1);
        terminal.type("/quit\r");
        await terminal.exit();
        expect(names()).to.deep.equal(["one.txt"]);
    });
});
