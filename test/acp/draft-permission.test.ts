import { expect } from "chai";
import { Editor } from "../helpers/acp-editor.js";
import { ClaudeWorkplace } from "../helpers/claude-workplace.js";
import { reply, text, toolUse } from "../helpers/vendors/messages-server.js";

describe("A draft in an editor", () => {
    let place: ClaudeWorkplace;
    let editor: Editor;

    beforeEach(async () => {
        place = new ClaudeWorkplace({ "a.txt": "one\n", "b.txt": "b\n" });
    });
    afterEach(async () => {
        editor.kill("SIGKILL");
        await place.remove();
    });

    const edit = (path: string, old: string, fresh: string) =>
        toolUse(`edit_${path}`, "edit_replace_exact", { path, old, new: fresh });

    async function open(settings: object, answers: readonly string[]): Promise<string> {
        place.configure({ mode: "draft", ...settings });
        editor = await Editor.start(place);
        const left = [...answers];
        editor.answer = () => left.shift() ?? "no";
        return (await editor.newSession(place.repository)).sessionId;
    }

    for (const [answer, content] of [
        ["yes", "two\n"],
        ["no", "one\n"],
        ["discard", "one\n"],
    ] as const) {
        it(`The whole import is one question, and "${answer}" is done`, async () => {
            await place.serve([
                reply(edit("a.txt", "one", "two"), edit("b.txt", "b", "c")),
                reply(text("Done.")),
                reply(text("Nothing.")),
            ]);
            const sessionId = await open({}, [answer]);
            await editor.prompt(sessionId, "Edit both");
            const [question, ...others] = editor.questions;
            expect(others).to.deep.equal([]);
            expect(question?.toolCall.title).to.equal(
                "Apply the draft: 2 files (+2 -2), not tested"
            );
            expect(question?.toolCall.content?.map(({ type }) => type)).to.deep.equal([
                "diff",
                "diff",
            ]);
            expect(question?.options.map(({ optionId, name }) => [optionId, name])).to.deep.equal([
                ["yes", "Apply the draft"],
                ["no", "Later, keep the draft"],
                ["discard", "Discard the draft"],
            ]);
            expect(place.files()["a.txt"]).to.equal(content);
            const list = JSON.parse((await place.run(["draft", "list", "--json"])).stdout);
            expect(list.drafts).to.have.length(answer === "no" ? 1 : 0);
            expect((await editor.close()).violations).to.deep.equal([]);
        });
    }

    it("A command for real says that it does not see the draft, and runs without another question once all of that is applied", async () => {
        await place.serve([
            reply(edit("a.txt", "one", "two")),
            reply(toolUse("real", "shell_run", { command: "cat a.txt" })),
            reply(text("Done.")),
        ]);
        const sessionId = await open({ containment: "off" }, ["draft-first", "yes"]);
        await editor.prompt(sessionId, "Edit and look");
        const [command, draft, ...others] = editor.questions;
        expect(JSON.stringify(command?.toolCall.content)).to.contain(
            "It does not see the draft (1 file)."
        );
        expect(command?.options.map(({ name }) => name)).to.include("Apply the draft, then run");
        expect(draft?.toolCall.title).to.contain("Apply the draft: a.txt");
        expect(others).to.deep.equal([]);
        expect(JSON.stringify(place.server.requests.at(-1)?.body)).to.contain("two\\\\n");
    });
});
