import { PassThrough } from "node:stream";

import { expect } from "chai";

import { askKey, CANCELLED, type KeyChoice } from "../../../src/chat/questions/key-question.js";
import { Keyboard } from "../../../src/chat/terminal/keyboard.js";
import { Screen } from "../../../src/chat/terminal/screen.js";
import { createTheme } from "../../../src/chat/terminal/theme.js";

const CHOICES: readonly KeyChoice[] = [
    { key: "a", label: "accept" },
    { key: "r", label: "reject" },
];

describe("askKey", () => {
    const controllers: Keyboard[] = [];

    afterEach(() => controllers.splice(0).forEach((keyboard) => keyboard.stop()));

    function open() {
        const input = new PassThrough();
        const keyboard = new Keyboard(input as PassThrough & NodeJS.ReadStream);
        controllers.push(keyboard);
        keyboard.start();
        const draft: string[] = [];
        keyboard.take((key) => draft.push(key.sequence));
        const output = {
            columns: 80,
            rows: 24,
            write: (_data: string, done?: unknown) => {
                if (typeof done === "function") done();
                return true;
            },
        };
        const screen = new Screen(output);
        const questions: (string | undefined)[] = [];
        const printed: string[] = [];
        let asked = (): void => {};
        const isAsked = new Promise<void>((resolve) => (asked = resolve));
        const view = {
            isTyping: false,
            printVerbatim: () => {},
            print: (text: string) => void printed.push(text),
            setQuestion: (line: string | undefined) => {
                questions.push(line);
                asked();
            },
        };
        const controller = new AbortController();
        const terminal = { keyboard, screen, theme: createTheme(0) };
        const ask = (choices = CHOICES) => askKey({ terminal, view }, choices, controller.signal);
        const press = async (text: string): Promise<void> => {
            input.write(text);
            await keyboard.drain();
        };
        return { ask, press, input, draft, view, questions, printed, isAsked, controller };
    }

    it("The pressed key is the answer in either case, and the question disappears", async () => {
        const { ask, press, isAsked, questions } = open();
        const answer = ask();
        await isAsked;
        await press("x");
        await press("R");
        expect(await answer).to.equal("r");
        expect(questions).to.deep.equal(["  a accept · r reject", undefined]);
    });

    it("Keys typed before the question go to the previous handler", async () => {
        const { ask, press, input, draft, isAsked } = open();
        input.write("a");
        const answer = ask();
        await isAsked;
        expect(draft).to.deep.equal(["a"]);
        await press("r");
        expect(await answer).to.equal("r");
    });

    it("No question interrupts the middle of a sentence", async () => {
        const { ask, press, draft, view, questions, isAsked } = open();
        view.isTyping = true;
        const answer = ask();
        await press("a");
        await press("r");
        expect(draft).to.deep.equal(["a", "r"]);
        expect(questions).to.deep.equal([]);
        view.isTyping = false;
        await isAsked;
        await press("a");
        expect(await answer).to.equal("a");
    });

    it("Enter or a paste answers nothing and repeats the choices", async () => {
        const { ask, press, isAsked, printed } = open();
        const answer = ask();
        await isAsked;
        await press("\r");
        await press("\u001b[200~a\u001b[201~");
        expect(printed).to.deep.equal(["  a accept · r reject"]);
        await press("r");
        expect(await answer).to.equal("r");
    });

    it("Details are shown once on request, and the question stays open", async () => {
        const { ask, press, isAsked, questions } = open();
        let shown = 0;
        const answer = ask([...CHOICES, { key: "v", label: "view", show: () => (shown += 1) }]);
        await isAsked;
        await press("v");
        await press("v");
        expect(shown).to.equal(1);
        expect(questions.at(-1)).to.equal("  a accept · r reject");
        await press("a");
        expect(await answer).to.equal("a");
    });

    for (const [name, key] of [
        ["Ctrl+C", "\u0003"],
        ["Escape", "\u001b"],
    ] as const) {
        it(`${name} cancels the question`, async () => {
            const { ask, press, isAsked } = open();
            const answer = ask();
            await isAsked;
            await press(key);
            expect(await answer).to.equal(CANCELLED);
        });
    }

    it("An abort cancels the question before or while it is shown, and returns the keyboard", async () => {
        const first = open();
        const answer = first.ask();
        await first.isAsked;
        first.controller.abort();
        expect(await answer).to.equal(CANCELLED);
        await first.press("a");
        expect(first.draft).to.deep.equal(["a"]);
        const second = open();
        second.controller.abort();
        expect(await second.ask()).to.equal(CANCELLED);
        expect(second.questions).to.deep.equal([]);
    });
});
