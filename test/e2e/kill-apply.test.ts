import * as fs from "node:fs";
import path from "node:path";
import { expect } from "chai";
import { KilledConversation, WHOLE_JOB } from "./killed-conversation.js";

describe("kill -9 while a change of three files is applied", () => {
    let conversation: KilledConversation;

    beforeEach(() => {
        conversation = new KilledConversation();
    });
    afterEach(() => conversation.close());

    // Each creation, change and renaming of a file counts, the journal's and the lock's too.
    for (const steps of [2, 4, 6, 8, 10, 12]) {
        it(`writes all of them or none when it comes at step ${steps}`, async () => {
            const { place } = conversation;
            const server = await conversation.serve(WHOLE_JOB);
            const program = conversation.start(server, "-p", "Work");
            let count = 0;
            const applying = path.join(place.data, "applying");
            conversation.watch([place.repository, place.place("src"), applying], () => {
                count += 1;
                if (count === steps) program.kill("SIGKILL");
            });
            await conversation.expectKilled(program);
            await conversation.expectToGoOn();
        });
    }

    it("can be taken back when it comes right after the last file, before the log says so", async () => {
        const { place } = conversation;
        const server = await conversation.serve(WHOLE_JOB, (count) => {
            if (count === 3) program.kill("SIGKILL");
        });
        const program = conversation.start(server, "-p", "Work");
        await conversation.expectKilled(program);
        // The log only grows: this is what it was at that moment.
        const log = conversation.log();
        const begun = log.indexOf("\n", log.indexOf('{"type":"change_begun"')) + 1;
        fs.truncateSync(
            place.conversationFile(conversation.id()),
            Buffer.byteLength(log.slice(0, begun))
        );
        expect(await conversation.undoIfEdited()).to.equal(true);
    });
});
