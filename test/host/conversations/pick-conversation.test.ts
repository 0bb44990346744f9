import { expect } from "chai";
import { conversationOption } from "../../../src/host/conversations/pick-conversation.js";
import { EMPTY_SUMMARY } from "../../../src/storage/conversations/conversation-summary.js";

describe("conversationOption", () => {
    it("At 80 columns the row of a conversation holds most of its first words", () => {
        const summary = {
            ...EMPTY_SUMMARY,
            id: "9f2c1a",
            root: "/home/ann/project",
            model: "claude-sonnet-5-5",
            firstWords: "Make the retry limit of the HTTP client configurable in settings",
        };
        const { label = "", description: notes } = conversationOption(summary);
        expect(label)
            .to.contain(summary.firstWords)
            .and.to.match(/ project: /);
        expect(label.indexOf(summary.firstWords)).to.be.below(80 - 45);
        expect(notes).to.equal("9f2c1a, claude-sonnet-5-5, $0.00");
        const { description } = conversationOption({ ...summary, unpricedRequests: 1 });
        expect(description).to.equal("9f2c1a, claude-sonnet-5-5, $0.00 + unknown");
    });
});
