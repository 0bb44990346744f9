import { PassThrough } from "node:stream";
import { expect } from "chai";
import { pick, searchAmong } from "../../../src/chat/questions/pick.js";
import { nextPolls } from "../../../src/chat/terminal/keyboard.js";
import { openQuestionTerminal } from "../../helpers/question-terminal.js";

describe("pick", () => {
    it("An abort ends a choice and releases the keyboard", async () => {
        const chat = openQuestionTerminal();
        const output = new PassThrough() as unknown as NodeJS.WriteStream;
        let drawn = "";
        output.on("data", (data: Buffer) => (drawn += data.toString()));
        const controller = new AbortController();
        const chosen = pick(
            chat.place,
            output,
            "Which one?",
            [{ value: "this" }],
            controller.signal
        );
        while (!drawn.includes("Which one?")) await nextPolls();
        controller.abort();
        expect(await chosen).to.equal(undefined);
        await chat.press("y");
        expect(chat.composer.editor.text).to.equal("y");
        chat.close();
    });
});

describe("searchAmong", () => {
    const options = [
        { value: "opus", label: "Claude Opus 5.5", description: "opus, anthropic, $4.00/$20.00" },
        {
            value: "sonnet",
            label: "Claude Sonnet 5.5",
            description: "sonnet, anthropic, 1M context, $2.00/$10.00 per M",
            isCurrent: true,
        },
    ];

    function rows(columns: number) {
        return searchAmong(options, "Which model?", { columns, rows: 24 })
            .source(undefined)
            .map(({ name }) => name);
    }

    it("The current option comes first and is marked as such, even at 40 columns", () => {
        expect(rows(40)[0]).to.match(/^Claude Sonnet 5\.5 \(current, sonnet, .*…$/);
        expect(rows(40).every((row) => row.length <= 37)).to.equal(true);
    });

    it("At 80 columns the price is on the row", () => {
        expect(rows(80)[0]).to.contain("$2.00/$10.00");
    });
});
