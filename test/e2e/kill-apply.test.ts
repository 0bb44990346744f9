import path from "node:path";
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
});
