import { expect } from "chai";
import { searchAmong } from "../../../src/chat/questions/pick.js";
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
        const options = [conversationOption(summary)];
        const [row] = searchAmong(options, "Which?", { columns: 80, rows: 24 }).source(undefined);
        expect(row?.name)
            .to.contain(summary.firstWords.slice(0, 45))
            .and.to.match(/ project: /);
        const [wide] = searchAmong(options, "Which?", { columns: 200, rows: 24 }).source("9f2c1a");
        expect(wide?.name).to.contain(`${summary.firstWords} (9f2c1a, claude-sonnet-5-5, $0.00)`);
        const { description } = conversationOption({ ...summary, unpricedRequests: 1 });
        expect(description).to.equal("9f2c1a, claude-sonnet-5-5, $0.00 + unknown");
    });
});
