import { readFileSync } from "node:fs";
import { expect } from "chai";
import type { RequestPermissionRequest } from "@agentclientprotocol/sdk";
import { Editor, type EditorOptions } from "../helpers/acp-editor.js";
import { ClaudeWorkplace } from "../helpers/claude-workplace.js";
import { reply, text, thinking, toolUse } from "../helpers/vendors/messages-server.js";

const EDIT = { path: "a.txt", old: "one", new: "two" };

describe("An editor that speaks the Agent Client Protocol", () => {
    let workplace: ClaudeWorkplace;
    const editors: Editor[] = [];

    beforeEach(() => {
        workplace = new ClaudeWorkplace({ "a.txt": "one\n", "b.txt": "b\n" });
    });

    afterEach(async () => {
        for (const editor of editors.splice(0)) {
            editor.kill("SIGKILL");
            await editor.end();
        }
        await workplace.remove();
    });

    async function start(options: EditorOptions = {}): Promise<Editor> {
        const editor = await Editor.start(workplace, options);
        editors.push(editor);
        return editor;
    }

    async function open(options: EditorOptions = {}) {
        const editor = await start(options);
        const { sessionId } = await editor.newSession(workplace.repository);
        return { editor, sessionId };
    }

    const optionsOf = ({ options }: RequestPermissionRequest) =>
        options.map(({ optionId, kind }) => `${optionId}:${kind}`);

    it("A prompt streams thoughts and text, and ends with its stop reason and its costs", async () => {
        await workplace.serve([reply(thinking("Let me see.", "sig"), text("Hello there."))]);
        const { editor, sessionId } = await open();
        expect(await editor.prompt(sessionId, "Hi")).to.deep.equal({ stopReason: "end_turn" });
        expect(editor.text(sessionId, "agent_thought_chunk")).to.contain("Let me see.");
        expect(editor.text(sessionId, "agent_message_chunk")).to.contain("Hello there.");
        expect(editor.updatesOf(sessionId, "usage_update").at(-1)?.cost?.currency).to.equal("USD");
        const { code, misfits, stderr } = await editor.close();
        expect({ code, misfits, stderr }).to.deep.equal({ code: 0, misfits: [], stderr: "" });
    });

    it("An edit is shown as a diff, and written when it is accepted", async () => {
        await workplace.serve([
            reply(toolUse("call_1", "edit_replace_exact", EDIT)),
            reply(text("Done.")),
        ]);
        const { editor, sessionId } = await open();
        editor.answer = () => "yes";
        await editor.prompt(sessionId, "Edit it");
        const [question] = editor.questions;
        expect(question?.toolCall.content?.[0]).to.deep.equal({
            type: "diff",
            path: workplace.place("a.txt"),
            oldText: "one\n",
            newText: "two\n",
        });
        expect(question && optionsOf(question)).to.deep.equal([
            "yes:allow_once",
            "session:allow_always",
            "always:allow_always",
            "no:reject_once",
        ]);
        const [call] = editor.calls(sessionId);
        expect(call).to.deep.include({ kind: "edit", status: "completed" });
        expect(call?.locations).to.deep.equal([{ path: workplace.place("a.txt") }]);
        expect(readFileSync(workplace.place("a.txt"), "utf8")).to.equal("two\n");
        expect((await editor.close()).misfits).to.deep.equal([]);
    });
});
