import { expect } from "chai";
import { tokensIn } from "../../bench/tokens.js";
import { answer } from "../helpers/answers.js";
import { ClaudeWorkplace, IDLE } from "../helpers/claude-workplace.js";
import { reply, text, toolUse } from "../helpers/vendors/messages-server.js";
import { textsIn, unmarked } from "./requests.js";

const edit = (id: string, path: string) =>
    reply(toolUse(id, "edit_create_file", { path, content: "new\n" }));
const done = reply(text("Done."));

/** With the tags around it. */
const MAX_TOKENS = 35;

describe("Switching to draft mode and back in the built program", () => {
    let place: ClaudeWorkplace;
    beforeEach(() => {
        place = new ClaudeWorkplace({ "a.txt": "one\n" });
    });
    afterEach(() => place.remove());

    it("No switch changes a byte of what was sent before, tools included, and the model is told in a few tokens", async () => {
        await place.serve([
            edit("real", "b.txt"),
            done,
            edit("drafted", "c.txt"),
            done,
            done,
            done,
        ]);
        const terminal = await place.chat();
        const say = async (line: string) => {
            await terminal.waitFor(IDLE);
            terminal.type(`${line}\r`);
        };
        const requests = (count: number) =>
            terminal.waitUntil(() => place.server.requests.length === count);
        await say("In agent mode");
        await answer(terminal, "yes");
        await requests(2);
        await say("/mode draft");
        await say("In draft mode");
        await terminal.waitFor("Apply this draft?");
        await answer(terminal, "later");
        await say("/mode agent");
        await say("In agent mode again");
        await requests(5);
        await say("/mode draft");
        await say("In draft mode again");
        await requests(6);

        const bodies = place.server.requests.map(({ body }) => body);
        const fixed = bodies.map((body) => JSON.stringify([body.model, body.system, body.tools]));
        expect(new Set(fixed).size).to.equal(1);
        const sent = bodies.map((body) => unmarked(body).map((one) => JSON.stringify(one)));
        sent.slice(1).forEach((messages, index) => {
            const before = sent[index] ?? [];
            expect(messages.slice(0, before.length)).to.deep.equal(before);
            expect(messages.length).to.be.greaterThan(before.length);
        });
        const said = textsIn(bodies.at(-1));
        const told = ["In draft mode", "In agent mode again", "In draft mode again"].map(
            (message) => said[said.indexOf(message) - 1] ?? ""
        );
        for (const note of told) {
            expect(note).to.match(/^<system-reminder>\nDraft mode/);
            expect(tokensIn(note), note).to.be.at.most(MAX_TOKENS);
        }
    });
});
