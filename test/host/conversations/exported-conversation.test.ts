import { expect } from "chai";
import { Conversation } from "../../../src/core/conversation/fold.js";
import { exportedConversation } from "../../../src/host/conversations/exported-conversation.js";
import { checkFinder } from "../../../src/host/effects/check-finder.js";
import { added, replyEntry } from "../../storage/samples.js";

describe("An exported conversation", () => {
    it("The cost of a conversation has no binary rounding drift", async () => {
        const replies = [0.1, 0.2].map((costUsd) => added(replyEntry("Done.", { costUsd })));
        const { costUsd } = await exportedConversation(
            Conversation.of(replies),
            checkFinder("/repository")
        );
        expect(costUsd).to.equal(0.3);
    });
});
