import { expect } from "chai";
import { answer, offered } from "../helpers/answers.js";
import { ClaudeWorkplace, IDLE } from "../helpers/claude-workplace.js";
import { reply, text, toolUse, type Reply } from "../helpers/vendors/messages-server.js";

/** More than ten cents on the vendor's standard model, and little enough for its context. */
const DEAR = { output_tokens: 20_000 };

const edit: Reply = {
    ...reply(toolUse("edit_1", "edit_replace_exact", { path: "a.txt", old: "one", new: "1" })),
    usage: DEAR,
};
const done: Reply = { ...reply(text("Done.")), usage: DEAR };

describe("Budgets", () => {
    let place: ClaudeWorkplace;

    beforeEach(() => {
        place = new ClaudeWorkplace({ "a.txt": "one\n" }).reusingProcess();
    });
    afterEach(() => place.remove());

    it("A spent budget stops print mode before the next request, is named, and keeps the work", async () => {
        await place.serve([edit]);
        const file = place.configure({ budget: { perConversationUsd: 0.1 } });
        const args = ["-p", "Edit it", "--accept-edits", "--output-format", "json"];
        const end = await place.run(args);
        expect(end.code).to.equal(1);
        const result = JSON.parse(end.stdout);
        expect(result).to.deep.include({ stopReason: "max-cost", isError: true, turns: 1 });
        expect(result.error.code).to.equal("budget-spent");
        expect(result.error.message).to.contain("The conversation budget of $0.10 is spent");
        expect(result.error.nextSteps.join()).to.contain(file);
        expect(place.files()["a.txt"]).to.equal("1\n");
        place.server.assertDone();
    });

    it("Budgets show in the costs, with bars in a terminal and none in a pipe", async () => {
        await place.serve([done]);
        expect((await place.run(["-p", "One"])).code).to.equal(0);
        const piped = await place.run(["costs"]);
        expect(piped.stdout).to.contain("Total $").and.not.to.contain("█");
        const terminal = place.open(["costs"]);
        await terminal.waitFor("█".repeat(20));
    });

    it("A day's budget counts other conversations", async () => {
        await place.serve([done]);
        place.configure({ budget: { perDayUsd: 0.1 } });
        expect((await place.run(["-p", "One"])).code).to.equal(0);
        const end = await place.run(["-p", "Two"]);
        expect(end.code).to.equal(1);
        expect(end.stderr).to.contain("The daily budget of $0.10 is spent: today has cost $");
        place.server.assertDone();
    });

    it("A spent budget stops learning before the next topic and keeps what was learned", async () => {
        await place.serve([{ ...reply(text("Found.")), usage: DEAR }]);
        place.configure({ budget: { perDayUsd: 0.1 } });
        const end = await place.run(["learn"]);
        expect(end.stderr).to.contain("The daily budget of $0.10 is spent");
        expect(end.stdout).to.contain("1 of 10 topics");
        const shown = await place.run(["learn", "--show"]);
        expect(shown.stdout).to.contain("Found.");
        place.server.assertDone();
    });

    it("An invalid budget stops North instead of counting as none", async () => {
        await place.serve([]);
        place.configure({ budget: { perMonthUsd: 1 } });
        const end = await place.run(["-p", "One"]);
        expect(end.code).to.equal(1);
        expect(end.stderr).to.contain("`budget.perMonthUsd` is not a known field");
    });

    it("A spent budget asks in the chat, where --max-cost covers the whole run", async () => {
        await place.serve([done, done]);
        place.configure({ budget: { perConversationUsd: 0.1 } });
        const screen = place.open(["chat", "One", "--max-cost", "0.3"]);
        const say = async (message: string) => {
            await screen.waitFor(IDLE);
            screen.type(message);
            screen.press("enter");
        };
        await screen.waitFor("Done.");
        await say("Two");
        await offered(screen, "yes");
        expect(screen.screen()).to.contain("The conversation budget of $0.10 is spent");
        await answer(screen, "yes");
        await screen.waitUntil(() => place.server.requests.length === 2);
        await say("Three");
        await screen.waitFor("(--max-cost). Start North with a higher limit");
        expect(place.server.requests.length).to.equal(2);
        place.server.assertDone();
    });
});
