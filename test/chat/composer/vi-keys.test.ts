import { expect } from "chai";
import fc from "fast-check";
import { Composer, type ComposerEvents } from "../../../src/chat/composer/composer.js";
import type { Key } from "../../../src/chat/terminal/keys.js";

const press = (name: string): Key => ({
    ...{ type: "press", name, sequence: "" },
    ...{ ctrl: false, alt: false, shift: false },
});

function open() {
    const told: string[] = [];
    const tell = (what: string) => () => void told.push(what);
    const events: ComposerEvents = {
        submit: (text) => void told.push(`submit ${text}`),
        recallQueued: () => false,
        ...{ interrupt: tell("interrupt"), quit: tell("quit"), toggleMode: tell("mode") },
        ...{ clearScreen: tell("clear"), openEditor: tell("editor"), pasteImage: tell("image") },
        changed: () => {},
    };
    const composer = new Composer(events);
    composer.connect(events, [], "vi");
    /** `<` is Escape, `>` Enter. */
    const type = (keys: string) => {
        for (const key of keys.split(/([<>])/)) {
            if (key === "<") composer.handleKey(press("escape"));
            else if (key === ">") composer.handleKey(press("enter"));
            else if (key !== "") composer.handleKey({ type: "text", text: key, sequence: key });
        }
    };
    const shown = () => {
        const { text, cursor } = composer.editor;
        return `${text.slice(0, cursor)}|${text.slice(cursor)}`;
    };
    return { composer, told, type, shown };
}

describe("vi keys in the line", () => {
    for (const [keys, expected] of [
        ["hello", "hello|"],
        ["hello<", "hell|o"],
        ["hello<ix", "hellx|o"],
        ["hello<ax", "hellox|"],
        ["  hello<Ix", "x|  hello"],
        ["hello<0Ax", "hellox|"],
        ["one two<bb", "|one two"],
        ["one two.three<0ww", "one two|.three"],
        ["one two.three<0WWW", "one two.thre|e"],
        ["one two.three<0ee", "one tw|o.three"],
        ["one two.three<0EE", "one two.thre|e"],
        ["one two.three<B", "one |two.three"],
        ["  one<0^", "  |one"],
        ["one two<0$", "one tw|o"],
        ["one two<03l", "one| two"],
        ["one two<99h", "|one two"],
        ["one two<0x", "|ne two"],
        ["one two<0x3x", "|two"],
        ["one two<X", "one t|o"],
        ["one two<bD", "one| "],
        ["one two<0Cx", "x|"],
        ["one two<0dw", "|two"],
        ["one two three<02dw", "|three"],
        ["one two three<0d2w", "|three"],
        ["one two<0de", "| two"],
        ["one two<db", "one |o"],
        ["one two<0cwx", "x| two"],
        ["a b<0cwx", "x| b"],
        ["one two three<02cwx", "x| three"],
        ["one two<ccx", "x|"],
        ["one two<Sx", "x|"],
        ["one two<0sx", "x|ne two"],
        ["one two<dd", "|"],
        ["one\ntwo\nthree<kkdd", "|two\nthree"],
        ["one\ntwo<dd", "on|e"],
        ["one\ntwo\nthree<kk2dd", "|three"],
        ["one two<0dwP", "one| two"],
        ["one two<0dw$p", "twoone| "],
        ["one two<0yw$p", "one twoone| "],
        ["one<0yyP", "on|eone"],
        ["one<0x3p", "noo|oe"],
        ["one two<0dwu", "|one two"],
        ["one two<0xxx3u", "|one two"],
        ["one two<0ftx", "one |wo"],
        ["one two<0dtw", "|wo"],
        ["one two<0dft", "|wo"],
        ["one two<FwD", "one |t"],
        ["one two<0TtD", "|"],
        ["one two<0fzx", "|ne two"],
        ["one<0rx", "|xne"],
        ["one<0d<x", "|ne"],
        ["größe 👩‍👩‍👧 x<bx", "größe | x"],
        ["one<ddxp", "on|e"],
        ["one<Zx", "o|n"],
    ] as const) {
        it(`${JSON.stringify(keys)} leaves ${JSON.stringify(expected)}`, () => {
            const { type, shown } = open();
            type(keys);
            expect(shown()).to.equal(expected);
        });
    }

    it("Enter sends from both modes, and the next line begins in insert mode", () => {
        const { type, told, shown } = open();
        type("one<>two>");
        expect(told).to.deep.equal(["submit one", "submit two"]);
        expect(shown()).to.equal("|");
    });

    it("Escape cancels the work on an empty line, and when it is pressed again", () => {
        const { composer, type, told } = open();
        composer.isBusy = true;
        type("<");
        expect(told).to.deep.equal(["interrupt"]);
        type("one<");
        expect(told).to.deep.equal(["interrupt"]);
        type("<");
        expect(told).to.deep.equal(["interrupt", "interrupt"]);
    });

    it("Whatever is typed, the cursor stays in the text, and undoing all of it leaves nothing", () => {
        const letter = fc.constantFrom(..."<hl0^$wbeWBEiaIAxXDCsSdcyYpPurfFtT123 .é\n");
        fc.assert(
            fc.property(fc.array(letter, { maxLength: 60 }), (letters) => {
                const { composer, type } = open();
                type(letters.join(""));
                const { text, cursor } = composer.editor;
                expect(cursor).to.be.within(0, text.length);
                // On an empty line in insert mode it would be typed.
                if (text === "") return;
                type("<<");
                for (let time = 0; time < 300; time += 1) type("u");
                expect(composer.editor.text).to.equal("");
            })
        );
    });
});
