import { expect } from "chai";
import { exportConversation } from "../../../src/builtin/slash/export.js";
import { openSlash } from "../../helpers/slash-session.js";

describe("/export", () => {
    it("/export says where the file is", async () => {
        const { context, text } = openSlash();
        await exportConversation.run("", context);
        await exportConversation.run(" notes/talk.json ", context);
        expect(text()).to.equal("Wrote /project/north-abc123.md\nWrote /project/notes/talk.json");
    });
});
