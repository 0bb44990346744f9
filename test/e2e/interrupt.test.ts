import path from "node:path";
import { expect } from "chai";
import { sampled } from "../helpers/sample.js";
import { KilledConversation, WHOLE_JOB } from "./killed-conversation.js";

describe("Ctrl+C during a conversation", () => {
    let conversation: KilledConversation;

    beforeEach(() => {
        conversation = new KilledConversation();
    });
    afterEach(() => conversation.close());

    // One signal only: a second one gives up the clean end.
    for (const lines of sampled([1, 3, 4, 5, 7, 9, 11, 12, 14, 16, 19])) {
        it(`A run interrupted with ${lines} lines in the log ends cleanly and can be resumed`, async () => {
            const { place } = conversation;
            const server = await conversation.serve(WHOLE_JOB);
            let isSent = false;
            conversation.watch([path.join(place.data, "conversations")], () => {
                const [id] = place.conversationIds();
                if (isSent || !id || place.records(id).length < lines) return;
                isSent = true;
                program.kill("SIGINT");
            });
            const program = conversation.start(server, "-p", "Work");
            const { code, signal, stderr } = await program.ended;
            expect({ code, signal, stderr }).to.deep.equal({
                code: 130,
                signal: null,
                stderr: "Interrupted.\n",
            });
            const records = place.records(conversation.id());
            expect(records.at(-1)?.type).to.equal("conversation_ended");
            await conversation.expectToGoOn();
        });
    }
});
