import * as fs from "node:fs";
import path from "node:path";
import { expect } from "chai";
import { sampled } from "../helpers/sample.js";
import { KilledConversation, WHOLE_JOB } from "./killed-conversation.js";

describe("kill -9 during a change of three files", () => {
    let conversation: KilledConversation;

    beforeEach(() => {
        conversation = new KilledConversation();
    });
    afterEach(() => conversation.close());

    // Each creation, change and renaming of a file counts, the journal's and the lock's too.
    for (const steps of sampled([2, 4, 6, 8, 10, 12])) {
        it(`A kill at step ${steps} leaves all files written or none`, async () => {
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

    it("A kill right after the last file, before the log entry, can be undone", async () => {
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
