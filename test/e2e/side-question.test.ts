import { expect } from "chai";
import { ClaudeWorkplace } from "../helpers/claude-workplace.js";
import { reply, text, toolUse } from "../helpers/vendors/messages-server.js";
import { unmarked } from "./requests.js";

describe("A question beside the task", () => {
    let place: ClaudeWorkplace;

    beforeEach(() => {
        place = new ClaudeWorkplace({ "clock.ts": "hour\n" });
    });
    afterEach(() => place.remove());

    it("Sees the conversation, leaves nothing in it, and is in the costs", async () => {
        await place.serve([
            reply(text("It is about clocks.")),
            reply(text("A **gnomon** casts the shadow.")),
            reply(text("Goodbye.")),
        ]);
        const terminal = await place.chat();
        terminal.type("What is this?\r");
        await terminal.waitFor("about clocks");
        terminal.type("/btw what casts a shadow?\r");
        await terminal.waitFor(/gnomon[^]*Not kept in the conversation · .*\$0/);
        terminal.type("Thanks\r");
        await terminal.waitFor("Goodbye.");
        terminal.type("/quit\r");
        await terminal.exit();

        const [first, aside, last] = place.server.requests.map(({ body }) => body);
        const before = unmarked(first);
        expect(unmarked(aside).slice(0, before.length)).to.deep.equal(before);
        expect(JSON.stringify(unmarked(aside).at(-1))).to.contain("what casts a shadow?");
        expect(aside?.system).to.deep.equal(first?.system);
        expect(aside?.tools).to.deep.equal(first?.tools);
        expect(JSON.stringify(last)).not.to.match(/shadow|gnomon/);
        const read = async (...args: string[]) =>
            JSON.parse((await place.run([...args, "--json"])).stdout);
        const costs = await read("costs");
        expect(costs.rows[0].requests).to.equal(3);
        const { costUsd } = costs.rows[0];
        const id = place.conversationIds()[0] ?? "";
        const { conversations } = await read("conversations");
        expect(conversations[0].costUsd, "listed").to.be.closeTo(costUsd, 1e-9);
        const shown = await read("conversations", "show", id);
        expect(shown.costUsd, "shown").to.be.closeTo(costUsd, 1e-9);
    });

    it("Without a question, or with an answer that only calls a tool, it says so", async () => {
        await place.serve([reply(toolUse("t1", "read_file", { path: "clock.ts" }))]);
        const terminal = await place.chat();
        terminal.type("/btw\r");
        await terminal.waitFor("/btw QUESTION");
        terminal.type("/btw what is in clock.ts?\r");
        await terminal.waitFor(/did not answer in text[^]*there it can use tools/);
        terminal.type("/quit\r");
        await terminal.exit();
        expect(place.conversationIds(), "it does not begin a conversation").to.deep.equal([]);
        expect(place.files()).to.deep.equal({ "clock.ts": "hour\n" });
    });
});
