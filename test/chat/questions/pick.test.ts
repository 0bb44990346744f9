import { expect } from "chai";
import { pick } from "../../../src/chat/questions/pick.js";
import { loadWidths } from "../../../src/chat/terminal/graphemes.js";
import type { BlockSource } from "../../../src/chat/terminal/screen.js";
import type { Option } from "../../../src/plugin/index.js";
import { openQuestionTerminal } from "../../helpers/question-terminal.js";

const MODELS = [
    { value: "opus", label: "Claude Opus 5.5", description: "opus, anthropic, $4.00/$20.00" },
    {
        value: "sonnet",
        label: "Claude Sonnet 5.5",
        description: "sonnet, anthropic, 1M context, $2.00/$10.00 per M",
        isCurrent: true,
    },
];

describe("pick", () => {
    let chat: ReturnType<typeof openQuestionTerminal>;
    let source: BlockSource | undefined;
    const aborting = new AbortController();

    before(loadWidths);
    afterEach(() => chat.close());

    function open(options: readonly Option[]) {
        chat = openQuestionTerminal();
        source = undefined;
        const { view } = chat.place;
        const setQuestion = view.setQuestion.bind(view);
        view.setQuestion = (question) => {
            source = question;
            setQuestion(question);
        };
        return pick(chat.place, "Which model?", options, aborting.signal);
    }

    const rows = (columns = 80, maxRows = 23) => source?.(columns, maxRows).rows ?? [];

    async function isOpen(): Promise<void> {
        while (!source) await chat.press("");
    }

    it("The current option comes first and is marked as such, even at 40 columns", async () => {
        void open(MODELS);
        await isOpen();
        expect(rows(40)[1]).to.match(/^❯ Claude Sonnet 5\.5 \(current, sonnet, .*…$/);
        expect(rows(40).every((row) => row.length < 40)).to.equal(true);
        expect(rows(80)[1]).to.contain("$2.00/$10.00");
    });

    it("Words search, arrows move, and Enter takes the marked option, even in one chunk", async () => {
        const first = open(MODELS);
        await isOpen();
        await chat.press("anthropic opus\r");
        expect(await first).to.equal("opus");
        expect(rows()).to.deep.equal([]);
        const second = open(MODELS);
        await isOpen();
        await chat.press("\u001b[B\u001b[B\r");
        expect(await second).to.equal("opus");
    });

    it("Enter takes nothing where nothing matches, and Escape leaves", async () => {
        const chosen = open(MODELS);
        await isOpen();
        await chat.press("nothing like it\r");
        expect(rows()).to.contain("  no match");
        await chat.press("\u001b");
        expect(await chosen).to.equal(undefined);
    });

    it("A long list says how many more there are, at every height", async () => {
        void open(Array.from({ length: 30 }, (_, index) => ({ value: `option ${index}` })));
        await isOpen();
        expect(rows().slice(-2)).to.deep.equal([
            "  … 18 more",
            "  Type to search · ↑↓ move · Enter choose · Esc cancel",
        ]);
        for (let height = 2; height < 20; height += 1) {
            expect(rows(80, height).length).to.be.at.most(height);
            expect(rows(80, height)[1]).to.equal("❯ option 0");
        }
    });

    it("An abort ends a choice and releases the keyboard", async () => {
        const chosen = open(MODELS);
        await isOpen();
        aborting.abort();
        expect(await chosen).to.equal(undefined);
        await chat.press("y");
        expect(chat.composer.editor.text).to.equal("y");
    });
});
