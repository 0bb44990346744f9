import path from "node:path";
import { expect } from "chai";
import { toolUse, reply } from "../helpers/vendors/messages-server.js";
import { eventually, type RunningProgram } from "../helpers/north-program.js";
import { sampled } from "../helpers/sample.js";
import { KilledConversation, WHOLE_JOB } from "./killed-conversation.js";
import { resultsIn } from "./requests.js";

describe("kill -9 during a conversation", () => {
    let conversation: KilledConversation;

    beforeEach(() => {
        conversation = new KilledConversation();
    });
    afterEach(() => conversation.close());

    for (const moment of [1, 2, 3, 4]) {
        it(`A kill as request ${moment} arrives loses nothing`, async () => {
            const server = await conversation.serve(WHOLE_JOB, (count) => {
                if (count === moment) program.kill("SIGKILL");
            });
            const program = conversation.start(server, "-p", "Work");
            await conversation.expectKilled(program);
            await conversation.expectToGoOn();
        });
    }

    for (const lines of sampled([1, 2, 3, 4, 5, 6, 8, 9, 10, 11, 12, 13, 15, 17, 19])) {
        it(`A kill with ${lines} lines in the log loses nothing`, async () => {
            const { place } = conversation;
            const server = await conversation.serve(WHOLE_JOB);
            conversation.watch([path.join(place.data, "conversations")], () => {
                const [id] = place.conversationIds();
                if (id && place.records(id).length >= lines) program.kill("SIGKILL");
            });
            const program = conversation.start(server, "-p", "Work");
            await conversation.expectKilled(program);
            await conversation.expectToGoOn();
        });
    }

    it("A second kill, in the resumed conversation, loses nothing", async () => {
        let program: RunningProgram | undefined;
        const kill = (count: number) => {
            if (count === 2) program?.kill("SIGKILL");
        };
        program = conversation.start(await conversation.serve(WHOLE_JOB, kill), "-p", "Work");
        await conversation.expectKilled(program);
        const again = await conversation.serve(WHOLE_JOB.slice(1), kill);
        program = conversation.start(again, "resume", conversation.id(), "-p", "once more");
        await conversation.expectKilled(program);
        await conversation.expectToGoOn();
    });

    it("A kill ends the running command and its children, and the model learns of the interruption", async () => {
        const { place } = conversation;
        const command = "(trap '' TERM HUP; sleep 300) & echo $! > started.txt; sleep 300; echo no";
        const server = await conversation.serve([
            reply(toolUse("run_1", "shell_run", { command })),
        ]);
        const program = conversation.start(server, "-p", "Work");
        await eventually(() => /\d\n/.test(place.files()["started.txt"] ?? ""), "the command");
        program.kill("SIGKILL");
        await conversation.expectKilled(program);
        await conversation.expectNothingLeft();

        const next = await conversation.serve([
            reply(toolUse("run_2", "shell_run", { command: "pwd" })),
            ...WHOLE_JOB.slice(-1),
        ]);
        const resumed = conversation.start(next, "resume", conversation.id(), "-p", "go on");
        await eventually(() => next.requests.length === 2, "the second request");
        resumed.kill("SIGTERM");
        expect((await resumed.ended).code).to.equal(143);
        const results = resultsIn(next.requests[1]?.body);
        expect(results.run_1?.error?.code).to.equal("interrupted");
        expect(results.run_2?.data?.stdout).to.equal(`${place.repository}\n`);
        expect(next.problems).to.deep.equal([]);
        await conversation.expectNothingLeft();
    });
});
