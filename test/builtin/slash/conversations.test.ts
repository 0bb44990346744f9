import { expect } from "chai";
import { conversations } from "../../../src/builtin/slash/conversations.js";
import { EARLIER, openSlash } from "../../helpers/slash-session.js";

describe("/conversations", () => {
    const READING = ["Reading conversations", "Reading conversations (50 of 5,000)"];

    it("/conversations lists date, title and cost, and resumes the choice", async () => {
        const { context, done, offered, text } = openSlash({
            picks: "3fa2c1",
            conversations: [EARLIER],
            unread: "Not listed.",
        });
        await conversations.run("", context);
        expect(offered).to.deep.equal([
            {
                value: "3fa2c1",
                label: "2026-11-22 14:05  Fix the retry logic",
                description: "3fa2c1, claude-sonnet-5-5, $0.12",
            },
        ]);
        expect(done).to.deep.equal([...READING, "resume 3fa2c1", "show"]);
        expect(text()).to.equal("Not listed.\n1 line was skipped.");
    });

    it("/conversations stays in the current conversation without a choice or another one", async () => {
        const { context, done } = openSlash({ conversations: [EARLIER] });
        await conversations.run("", context);
        const alone = openSlash();
        await conversations.run("", alone.context);
        expect([...done, ...alone.done]).to.deep.equal([...READING, ...READING]);
        expect(alone.text()).to.equal("This project has no other conversations.");
    });

    it("/conversations offers nothing after its reading was cancelled", async () => {
        const { context, offered, text } = openSlash({ conversations: [EARLIER], cancels: true });
        await conversations.run("", context);
        expect([offered, text()]).to.deep.equal([[], ""]);
    });
});
