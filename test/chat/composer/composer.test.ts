import { expect } from "chai";

import { Composer, type ComposerEvents } from "../../../src/chat/composer/composer.js";
import { slashCompleter } from "../../../src/chat/composer/completion.js";
import type { Key } from "../../../src/chat/terminal/keys.js";
import type { SlashCommand, SlashContext } from "../../../src/plugin/index.js";

const command = (name: string, choices?: string[]): SlashCommand => ({
    name,
    description: `Does ${name}.`,
    usage: `/${name}`,
    ...(choices && {
        complete: async (argument: string) =>
            choices.filter((choice) => choice.startsWith(argument)).map((value) => ({ value })),
    }),
    run: async () => {},
});
const COMMANDS = [command("mode", ["ask", "agent"]), command("model"), command("help")];

function press(name: string): Key {
    const [key = "", ...modifiers] = name.split("-").reverse();
    return {
        type: "press",
        name: key,
        ctrl: modifiers.includes("ctrl"),
        alt: modifiers.includes("alt"),
        shift: modifiers.includes("shift"),
        sequence: "",
    };
}

function open(history: readonly string[] = [], queued: string[] = []) {
    const told: string[] = [];
    const typedTexts: string[] = [];
    const tell =
        (what: string) =>
        (text = ""): void =>
            void told.push(text === "" ? what : `${what}: ${text}`);
    const events: ComposerEvents = {
        submit: (text, typed) => {
            tell("submit")(text);
            typedTexts.push(typed);
        },
        interrupt: tell("interrupt"),
        recallQueued: () => {
            const last = queued.pop();
            if (last !== undefined) composer.prepend(last);
            return last !== undefined;
        },
        quit: tell("quit"),
        toggleMode: tell("toggle"),
        clearScreen: tell("clear"),
        pasteImage: tell("paste image"),
        openEditor: tell("editor"),
        changed: () => {},
    };
    const context = {} as SlashContext;
    const composer = new Composer(events, [slashCompleter(COMMANDS, () => context)]);
    composer.setHistory(history);
    const type = (text: string) => composer.handleKey({ type: "text", text, sequence: text });
    const keys = (...names: string[]) => names.forEach((name) => composer.handleKey(press(name)));
    const paste = (text: string) => composer.handleKey({ type: "paste", text, sequence: text });
    return { composer, told, typedTexts, type, keys, paste, text: () => composer.editor.text };
}

describe("Composer", () => {
    it("Up on an empty line recalls queued messages, the last one first, and then the history", () => {
        const { keys, text } = open(["earlier"], ["first", "second"]);
        keys("up");
        expect(text()).to.equal("second");
        keys("enter", "up");
        expect(text()).to.equal("first");
        keys("enter", "up", "up", "up");
        expect(text()).to.equal("earlier");
    });

    it("Enter sends the text and clears the composer", () => {
        const { told, type, keys, text } = open();
        type("hello");
        keys("enter");
        expect(told).to.deep.equal(["submit: hello"]);
        expect(text()).to.equal("");
    });

    it("Blank text is not sent", () => {
        const { told, type, keys } = open();
        keys("enter");
        type("  ");
        keys("enter");
        expect(told).to.deep.equal([]);
    });

    it("Ctrl+J, Alt+Enter, Shift+Enter and a trailing backslash insert a new line", () => {
        const { told, type, keys, text } = open();
        type("a");
        keys("newline");
        type("b");
        keys("alt-enter");
        type("c");
        keys("shift-enter");
        type("d\\");
        keys("enter");
        type("e");
        expect(text()).to.equal("a\nb\nc\nd\ne");
        expect(told).to.deep.equal([]);
    });

    it("A paste with line breaks is inserted and sent as one message", () => {
        const { told, paste, keys } = open();
        paste("one\r\ntwo\rthree\n");
        expect(told).to.deep.equal([]);
        keys("enter");
        expect(told).to.deep.equal(["submit: one\ntwo\nthree"]);
    });

    it("Only what was typed counts for mentions, not what was pasted around it", () => {
        const { told, typedTexts, type, paste, keys } = open();
        type("See @a.txt ");
        paste("@.env @~/.ssh/id_rsa");
        type(" and @b.txt");
        keys("enter");
        expect(told).to.deep.equal(["submit: See @a.txt @.env @~/.ssh/id_rsa and @b.txt"]);
        expect(typedTexts.join("").match(/@\S+/g)).to.deep.equal(["@a.txt", "@b.txt"]);
    });

    it("The history keys walk through earlier input and back to the draft", () => {
        const { type, keys, text } = open(["first", "second"]);
        type("draft");
        keys("up");
        expect(text()).to.equal("second");
        keys("up", "up", "up");
        expect(text()).to.equal("first");
        keys("down", "down");
        expect(text()).to.equal("draft");
    });

    it("The arrow keys move within a multi-line text before they reach the history", () => {
        const { composer, paste, keys, text } = open(["first"]);
        paste("one\ntwo");
        keys("up");
        expect(composer.editor.cursor).to.equal(3);
        expect(text()).to.equal("one\ntwo");
        keys("up");
        expect(text()).to.equal("first");
    });

    it("A text that was just sent is in the history", () => {
        const { type, keys, text } = open(["first"]);
        type("second");
        keys("enter", "up");
        expect(text()).to.equal("second");
    });

    it("Ctrl+C clears the line, and a second one in a row quits", () => {
        const { told, type, keys, text, composer } = open();
        type("draft");
        keys("ctrl-c");
        expect(text()).to.equal("");
        expect(composer.note).to.equal("Press Ctrl+C again to quit.");
        type("x");
        expect(composer.note).to.equal(undefined);
        keys("ctrl-c", "ctrl-c");
        expect(told).to.deep.equal(["quit"]);
    });

    it("Ctrl+C or Escape cancels what runs and keeps the draft", () => {
        const { told, type, keys, text, composer } = open();
        composer.isBusy = true;
        type("draft");
        keys("ctrl-c", "escape", "ctrl-c");
        expect(told).to.deep.equal(["interrupt", "interrupt", "interrupt"]);
        expect(text()).to.equal("draft");
    });

    it("Escape on an empty line says how to go back, until the next key", () => {
        const { told, type, keys, composer } = open();
        type("a");
        keys("escape");
        expect(composer.note).to.equal(undefined);
        keys("backspace", "escape");
        expect(composer.note).to.contain("/rewind TURN");
        type("b");
        expect(composer.note).to.equal(undefined);
        expect(told).to.deep.equal([]);
    });

    it("Ctrl+D quits on an empty line only", () => {
        const { told, type, keys, text } = open();
        type("ab");
        keys("home", "ctrl-d");
        expect(text()).to.equal("b");
        keys("ctrl-d", "ctrl-d");
        expect(told).to.deep.equal(["quit"]);
    });

    it("Ctrl+D asks before quitting while something runs, and any other key means no", () => {
        const { told, type, keys, composer } = open();
        composer.isBusy = true;
        keys("ctrl-d");
        expect(composer.note).to.contain("Press Ctrl+D again");
        type("x");
        keys("backspace", "ctrl-d", "ctrl-c");
        expect(told).to.deep.equal(["interrupt"]);
        keys("ctrl-d", "ctrl-d");
        expect(told).to.deep.equal(["interrupt", "quit"]);
    });

    it("Ctrl+D in the last second of the work quits at its end, and its note ends with any work", () => {
        const { keys, type, composer } = open();
        const { now } = performance;
        const endAfter = (milliseconds: number, ...more: readonly (() => void)[]) => {
            composer.isBusy = true;
            keys("ctrl-d");
            for (const each of more) each();
            const begin = now.call(performance);
            performance.now = () => begin + milliseconds;
            const quits = composer.endWork();
            performance.now = now;
            expect([composer.isBusy, composer.note]).to.deep.equal([false, undefined]);
            return quits;
        };
        expect(endAfter(900)).to.equal(true);
        expect(endAfter(1_100)).to.equal(false);
        expect(endAfter(0, () => type("x"))).to.equal(false);
    });

    it("Tab switches the mode on an empty line, and Shift+Tab also in the middle of a sentence", () => {
        const { told, type, keys } = open();
        keys("tab");
        type("hello");
        keys("tab");
        expect(told).to.deep.equal(["toggle"]);
        keys("shift-tab");
        expect(told).to.deep.equal(["toggle", "toggle"]);
    });

    it("Enter on a half-typed command runs the only match", () => {
        const { told, type, keys, text } = open();
        type("/he");
        keys("enter");
        expect(told).to.deep.equal(["submit: /help"]);
        expect(text()).to.equal("");
    });

    it("Tab completes a command and cycles through several matches", () => {
        const { type, keys, text, told } = open();
        type("/h");
        keys("tab");
        expect(text()).to.equal("/help ");
        keys("ctrl-u");
        type("/mo");
        keys("tab");
        expect(text()).to.equal("/mode");
        keys("tab");
        expect(text()).to.equal("/model");
        keys("tab");
        expect(text()).to.equal("/mode");
        expect(told).to.deep.equal([]);
    });

    it("Tab on a fully typed folder completes its contents", () => {
        const choices = ["@src/", "@src/a.ts", "@src/b.ts"].map((value) => ({ value }));
        const { type, keys, text, composer } = open();
        composer.connect(composer["events"] as ComposerEvents, [
            (line, to) => ({ from: 0, to, choices, takesEnter: line.startsWith("@") }),
        ]);
        type("@src/");
        keys("tab");
        expect(text()).to.equal("@src/a.ts");
        keys("tab");
        expect(text()).to.equal("@src/b.ts");
        keys("tab");
        expect(text()).to.equal("@src/");
    });

    it("A slow argument completion still arrives, even when Tab was pressed first", async () => {
        const { composer, type, keys, text } = open();
        type("/mode ag");
        keys("tab");
        await new Promise((resolve) => setImmediate(resolve));
        expect(text()).to.equal("/mode agent ");
        expect(composer.suggestions).to.equal(undefined);
    });

    it("Completions for an outdated text are dropped", async () => {
        const { type, keys, text } = open();
        type("/mode a");
        keys("tab");
        type("x");
        await new Promise((resolve) => setImmediate(resolve));
        expect(text()).to.equal("/mode ax");
    });

    it("Suggestions appear while a command is typed, and Escape hides them", () => {
        const { composer, type, keys } = open();
        type("/mo");
        expect(composer.suggestions?.choices.map(({ value }) => value)).to.deep.equal([
            "/mode",
            "/model",
        ]);
        keys("escape");
        expect(composer.suggestions).to.equal(undefined);
    });

    it("Ctrl+R finds earlier input by a part of it, and Ctrl+R again finds older input", () => {
        const { composer, told, type, keys, text } = open(["npm test", "git log", "npm run lint"]);
        type("draft");
        keys("ctrl-r");
        type("N");
        type("pm");
        expect(text()).to.equal("npm run lint");
        keys("ctrl-r");
        expect(text()).to.equal("npm test");
        keys("ctrl-r");
        expect(composer.searching).to.deep.include({ query: "Npm", found: undefined });
        keys("escape");
        expect(text()).to.equal("draft");
        keys("ctrl-r");
        type("lag");
        keys("backspace");
        keys("backspace");
        expect(text()).to.equal("npm run lint");
        keys("enter");
        expect(told).to.deep.equal([]);
        type("!");
        expect(text()).to.equal("npm run lint!");
        keys("ctrl-g");
        expect(told).to.deep.equal(["editor: npm run lint!"]);
    });

    it("Enter takes the selected command, and sends a complete one", () => {
        const { told, type, keys, text } = open();
        type("/mo");
        keys("down", "enter");
        expect(text()).to.match(/^\/mod(e|el) $/);
        expect(told).to.deep.equal([]);
        keys("ctrl-u");
        type("/mode");
        keys("enter");
        expect(told).to.deep.equal(["submit: /mode"]);
    });

    it("A path is not taken for a command", () => {
        const { composer, type } = open();
        type("look at /usr");
        expect(composer.suggestions).to.equal(undefined);
    });
});
