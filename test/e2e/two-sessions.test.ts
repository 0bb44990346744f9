import { expect } from "chai";
import { answer } from "../helpers/answers.js";
import { ClaudeWorkplace } from "../helpers/claude-workplace.js";
import { reply, text, toolUse, type VendorRequest } from "../helpers/vendors/messages-server.js";
import { resultsIn, textsIn } from "./requests.js";

/** The question is the edit: `one -> two`. */
function scripted({ body }: { readonly body: VendorRequest }) {
    const asked = textsIn(body).findLast((said) => /\w -> \w/.test(said)) ?? "";
    const isAnswered = body.messages.at(-1)?.content.some(({ type }) => type === "tool_result");
    if (isAnswered) return reply(text("Done."));
    const [, old, fresh] = /(\w+) -> (\w+)/.exec(asked) ?? [];
    const input = { path: "a.txt", old, new: fresh };
    return reply(toolUse(`edit_${old}`, "edit_replace_exact", input));
}

describe("Two sessions that edit one file", () => {
    let place: ClaudeWorkplace;
    beforeEach(async () => {
        place = new ClaudeWorkplace({ "a.txt": "one\nfive\n" });
        await place.serve(scripted);
    });
    afterEach(() => place.remove());

    const told = (id: string) => resultsIn(place.server.requests.at(-1)?.body)[id];
    const other = async (edit: string) => {
        const known = new Set(place.conversationIds());
        const { code, stderr } = await place.run([
            "-p",
            edit,
            "--accept-edits",
            "--model",
            "sonnet",
        ]);
        expect(code, stderr).to.equal(0);
        return place.conversationIds().find((id) => !known.has(id)) ?? "";
    };

    it("A review and its result say which conversation edited the file and how long ago", async () => {
        const terminal = await place.chat();
        terminal.type("one -> two\r");
        await terminal.waitFor("? Edit a.txt?");
        await answer(terminal, "yes");
        await terminal.waitFor("● Done.");
        const id = await other("two -> three");
        terminal.type("three -> four\r");
        const sentence = new RegExp(`a\\.txt was edited by conversation ${id}, \\d+s ago`);
        await terminal.waitFor(sentence);
        await answer(terminal, "yes");
        await terminal.waitFor(/● Done\.[^]+● Done\./);
        expect(String(told("edit_three")?.data?.notes)).to.match(sentence);
        terminal.type("four -> five\r");
        await terminal.waitFor("-four");
        await answer(terminal, "yes");
        await terminal.waitUntil(() => place.files()["a.txt"] === "five\nfive\n");
        await terminal.waitFor(/(?:● Done\.[^]+){2}● Done\./);
        expect(told("edit_four")?.data?.notes, "its own edit is the latest").to.equal(undefined);
    });

    it("A closed conversation's edit before this one began is not mentioned in a review", async () => {
        await other("one -> two");
        const terminal = await place.chat();
        terminal.type("two -> three\r");
        const screen = await terminal.waitFor("? Edit a.txt?");
        expect(screen).not.to.contain("was edited by");
        await answer(terminal, "yes");
        await terminal.waitFor("● Done.");
        expect(told("edit_two")?.data?.notes).to.equal(undefined);
    });

    it("An approved edit that another session overtook elsewhere in the file is reviewed again", async () => {
        const terminal = await place.chat();
        terminal.type("one -> two\r");
        await terminal.waitFor("? Edit a.txt?");
        const id = await other("five -> six");
        await answer(terminal, "yes");
        await terminal.waitFor("a.txt changed after the review: look again.");
        await terminal.waitFor(new RegExp(`a\\.txt was edited by conversation ${id}, \\d+s ago`));
        expect(place.files()["a.txt"]).to.equal("one\nsix\n");
        await answer(terminal, "yes");
        await terminal.waitFor("● Done.");
        expect(told("edit_one")?.ok).to.equal(true);
        expect(place.files()["a.txt"]).to.equal("two\nsix\n");
    });

    it("The refusal of an approved edit whose text another session replaced names that session", async () => {
        const terminal = await place.chat();
        terminal.type("one -> two\r");
        await terminal.waitFor("? Edit a.txt?");
        const id = await other("one -> three");
        await answer(terminal, "yes");
        await terminal.waitFor("● Done.");
        const { error } = told("edit_one") ?? {};
        expect(error?.code).to.equal("text-not-found");
        expect(error?.hint).to.match(
            new RegExp(`^a\\.txt was edited by conversation ${id}, \\d+s ago\\.`)
        );
        expect(place.files()["a.txt"]).to.equal("three\nfive\n");
    });

    it("An edit whose text another session replaced fails and names that session", async () => {
        const id = await other("one -> two");
        await other("five -> six");
        await place.run(["-p", "one -> three", "--accept-edits", "--model", "sonnet"]);
        const { error } = told("edit_one") ?? {};
        expect(error?.code).to.equal("text-not-found");
        expect(error?.hint).to.match(/^a\.txt was edited by conversation [0-9a-f]{6}, \d+s ago\./);
        expect(error?.hint).not.to.contain(id);
    });
});
