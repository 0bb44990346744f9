import { expect } from "chai";

import { bundledProgram } from "../helpers/bundled-program.js";
import { openTerminal, type PseudoTerminal } from "../helpers/pseudo-terminal.js";

const PROGRAM = bundledProgram(new URL("../helpers/chat-program.ts", import.meta.url));

/** What is typed, keys between angle brackets, and the lines then, the cursor as a bar. */
type Case = readonly [typed: string, shown: string];

const FAMILY = "👩‍👩‍👧";
const FLAG = "🇩🇪";

const MOVES: readonly Case[] = [
    ["one two<ctrl-a>", "|one two"],
    ["one two<home>", "|one two"],
    ["one two<ctrl-a><ctrl-e>", "one two|"],
    ["one two<home><end>", "one two|"],
    ["one two<ctrl-b><ctrl-b>", "one t|wo"],
    ["one two<left><left><left><right>", "one t|wo"],
    ["one two<ctrl-a><ctrl-f>", "o|ne two"],
    ["one two.three<alt-b>", "one two.|three"],
    ["one two.three<alt-b><alt-b>", "one |two.three"],
    ["one two<ctrl-left>", "one |two"],
    ["one two<alt-left>", "one |two"],
    ["one two<ctrl-a><alt-f>", "one| two"],
    ["one two<ctrl-a><ctrl-right>", "one| two"],
    ["one two<ctrl-a><alt-right><alt-right>", "one two|"],
    ["a<ctrl-j>b<ctrl-home>", "|a\nb"],
    ["a<ctrl-j>b<ctrl-home><ctrl-end>", "a\nb|"],
    ["abc<ctrl-j>def<ctrl-a>", "abc\n|def"],
    ["abcd<ctrl-j>e漢<up>", "ab|cd\ne漢"],
    ["ab<ctrl-j>cdef<up><down>", "ab\ncd|ef"],
    ["ab<ctrl-j>cd<ctrl-p><ctrl-a><ctrl-n>", "ab\n|cd"],
    [`漢${FAMILY}e\u0301${FLAG}<left><left>`, `漢${FAMILY}|e\u0301${FLAG}`],
    [`漢${FAMILY}<ctrl-a><right>`, `漢|${FAMILY}`],
    // As other terminals send Home, End and their like.
    ["ab<\u001bOH>", "|ab"],
    ["ab<\u001b[1~>", "|ab"],
    ["ab<\u001b[7~><\u001b[8~>", "ab|"],
    ["ab<\u001bOD>", "a|b"],
    // As the kitty protocol sends them.
    ["ab<\u001b[97;5u>", "|ab"],
    ["one two<\u001b[98;3u>", "one |two"],
    ["one two<\u001b[57423u>", "|one two"],
    ["ab<\u001b[57417u><\u001b[57417u><\u001b[57418u>", "a|b"],
];

const DELETIONS: readonly Case[] = [
    ["abc<backspace>", "ab|"],
    ["abc<ctrl-h>", "ab|"],
    ["abc<ctrl-a><delete>", "|bc"],
    ["abc<ctrl-a><ctrl-d>", "|bc"],
    [`a${FAMILY}<backspace>`, "a|"],
    [`a${FLAG}<backspace>`, "a|"],
    ["ae\u0301<backspace>", "a|"],
    ["a漢b<left><backspace>", "a|b"],
    [`a${FAMILY}b<ctrl-a><right><delete>`, "a|b"],
    ["a<ctrl-j>b<ctrl-a><backspace>", "a|b"],
    ["one two.three<ctrl-w>", "one |"],
    ["one two.three<alt-backspace>", "one two.|"],
    ["one two<ctrl-a><alt-d>", "| two"],
    ["one two<left><left><ctrl-k>", "one t|"],
    ["one two<left><left><ctrl-u>", "|wo"],
    ["a<ctrl-j>b<up><ctrl-k>", "a|b"],
    ["one two<ctrl-w>x<ctrl-y>", "one xtwo|"],
    ["one two<ctrl-a><ctrl-k><ctrl-y><ctrl-y>", "one twoone two|"],
    // Deleted in one go, and put back in one.
    ["one two three<ctrl-w><ctrl-w><ctrl-y>", "one two three|"],
    ["one two three<ctrl-a><alt-d><alt-d><ctrl-e>;<ctrl-y>", " three;one two|"],
    ["one two three<ctrl-w><left><ctrl-w><ctrl-y>", "one two|"],
    ["one two<ctrl-w><ctrl-_>", "one two|"],
    ["one two<ctrl-a><ctrl-k>x<ctrl-_><ctrl-_>", "|one two"],
    ["one<ctrl-_>", "|"],
    ["abc<left><ctrl-t>", "acb|"],
    ["abc<ctrl-t>", "acb|"],
    ["one TWO<ctrl-a><alt-u><alt-c>", "ONE Two|"],
    ["ONE<ctrl-a><alt-l>", "one|"],
    ["one<\u001b[47;5u>", "|"],
];

const LINES: readonly Case[] = [
    ["a<ctrl-j>b", "a\nb|"],
    ["a<alt-enter>b", "a\nb|"],
    ["a<shift-enter>b", "a\nb|"],
    ["a<\u001b[27;2;13~>b", "a\nb|"],
    ["a<\u001b[13;5u>b", "a\nb|"],
    ["a\\<enter>b", "a\nb|"],
];

const PASTES: readonly Case[] = [
    ["x<paste one\r\ntwo\rthree\nfour>y", "xone\ntwo\nthree\nfoury|"],
    ["<paste a\tb>", "a    b|"],
    ["<paste a\u001b[31mred\u001b[0m\u0007\u0000b>", "aredb|"],
    ["<paste \u001b]0;title\u0007\u001b[2Jx>", "x|"],
    [`<paste 漢字${FAMILY}e\u0301>`, `漢字${FAMILY}e\u0301|`],
    ["<paste /quit\r>", "/quit\n|"],
    // The keypad in the kitty protocol, locks, and keys that mean nothing here.
    ["a<\u001b[57399u><\u001b[57413u>", "a0+|"],
    ["a<\u001b[57358u><\u001b[118;9u><\u001b[57441;2u>b", "ab|"],
    ["ab<\u001b[1;129D><\u001b[97;69u>", "|ab"],
];

/** Fails, empties the file or writes another text, as the text says. */
const EDITOR = `sh -c '
    case "$(cat "$1")" in
        fail) exit 1;;
        empty) : > "$1";;
        *) printf "two\\nlines\\n\\n" > "$1";;
    esac' --`;

describe("Composer keys in a terminal", () => {
    let terminal: PseudoTerminal;

    before(async () => {
        terminal = openTerminal({
            command: process.execPath,
            args: [PROGRAM, "{}"],
            env: { ...process.env, VISUAL: "", EDITOR },
        });
        await terminal.waitFor("❯");
    });
    after(() => terminal.close());
    afterEach(async () => {
        terminal.press("ctrl-c");
        await terminal.waitFor(/❯\n *Press Ctrl\+C again/);
    });

    for (const [typed, shown] of [...MOVES, ...DELETIONS, ...LINES, ...PASTES]) {
        it(`Typing ${JSON.stringify(typed)} shows ${JSON.stringify(shown)}`, async () => {
            send(typed);
            // The bar itself is typed: it stands where the cursor is.
            terminal.type("|");
            const lines = `❯ ${shown.replaceAll("\n", "\n  ")}`;
            await terminal.waitUntil((screen) => screen.endsWith(lines), JSON.stringify(lines));
        });
    }

    /** Waits for the status line and what is below it. */
    const shows = (lines: string) =>
        terminal.waitUntil((screen) => screen.endsWith(`$3.40\n${lines}`), JSON.stringify(lines));

    it("Up, Down, Ctrl+P and Ctrl+N walk through the history and back to the draft", async () => {
        send("draft<up><up><up>");
        await shows("❯ first input");
        send("<down>");
        await shows("❯ second input");
        send("<ctrl-n>");
        await shows("❯ draft");
        send("<ctrl-p>!");
        await shows("❯ second input!");
    });

    it("Ctrl+R searches the history, Ctrl+R again finds older input and Escape restores the draft", async () => {
        send("draft<ctrl-r>input");
        await terminal.waitFor(/❯ second input\n {2}search history: input/);
        send("<ctrl-r>");
        await terminal.waitFor(/❯ first input\n {2}search history: input/);
        send("<ctrl-r>");
        await terminal.waitFor(/❯ draft\n {2}search history: input.*no match/);
        send("<backspace><backspace>");
        await terminal.waitFor(/❯ second input\n {2}search history: inp/);
        terminal.press("escape");
        await shows("❯ draft");
        send("<ctrl-r>first<home>!");
        await shows("❯ !first input");
    });

    it("The editor's text replaces the draft, and a failed editor keeps it", async () => {
        send("fail<ctrl-g>");
        await terminal.waitFor(/failed\.\n {2}→ Set EDITOR/);
        await shows("❯ fail");
        send("<ctrl-u>other<ctrl-g>");
        await shows("❯ two\n  lines");
        send("<ctrl-u><ctrl-u><ctrl-u>empty<ctrl-g>");
        await shows("❯");
        expect(terminal.raw()).to.match(/\u001b\[<u\u001b\[\?2004l[^]*\u001b\[\?2004h/);
    });

    it("Tab and Shift+Tab switch the mode, Shift+Tab also beside text that could be completed", async () => {
        send("<tab>");
        await terminal.waitFor("Sonnet · ask ·");
        send("text<tab>/mo");
        await terminal.waitFor("❯ text/mo");
        expect(terminal.screen()).to.contain("Sonnet · ask ·");
        send("<shift-tab>");
        await terminal.waitFor("Sonnet · plan ·");
        send("<shift-tab>");
        await terminal.waitFor("Sonnet · draft ·");
        expect(terminal.screen()).to.contain("❯ text/mo");
        send("<shift-tab>");
        await terminal.waitFor("Sonnet · agent ·");
        send("<shift-tab>");
        await terminal.waitFor("Sonnet · ask ·");
    });

    it("The command list shows descriptions, and Space or Escape closes it without changing the text", async () => {
        send("/mo");
        await shows(
            "❯ /mo\n› /mode   Switch between ask, plan, draft and agent.\n  /model  Choose the model."
        );
        send(" ");
        await shows("❯ /mo");
        send("<backspace>");
        await terminal.waitFor("› /mode");
        terminal.press("escape");
        await shows("❯ /mo");
        send("<ctrl-a>see <ctrl-e><enter>");
        await terminal.waitFor("● You sent 1 lines, 7 characters");
        await shows("❯");
    });

    it("Tab completes a command, Tab again takes the next one, and arguments complete too", async () => {
        send("/mo<tab>");
        await shows(
            "❯ /mode\n› /mode   Switch between ask, plan, draft and agent.\n  /model  Choose the model."
        );
        send("<tab>");
        await terminal.waitFor("❯ /model\n  /mode");
        send(" m");
        await terminal.waitFor(/❯ \/model m\n {2}m0 {2}Model 0\n {2}m1 {2}Model 1\n/);
        send("<tab><tab>");
        await terminal.waitFor(/❯ \/model m1\n {2}m0 {2}Model 0\n› m1 {2}Model 1\n/);
    });

    it("Files are found by parts of their path, best match first", async () => {
        send("@app");
        await terminal.waitFor(/❯ @app\n› @src\/app\.ts *\n {2}@test\/app\.test\.ts/);
        send("<ctrl-u>@aptst");
        await terminal.waitFor(/❯ @aptst\n {2}@test\/app\.test\.ts/);
        send("<tab>");
        await shows("❯ @test/app.test.ts");
        send("<ctrl-u>@app ");
        await shows("❯ @app");
    });

    it("Ctrl+L clears the screen and keeps the draft at the top", async () => {
        send("a<ctrl-j>draft<ctrl-l>");
        await terminal.waitFor(/^\nproject · .*\n❯ a\n {2}draft$/);
        expect(terminal.cursor()).to.deep.equal({ row: 3, column: 7 });
    });

    it("A long paste is shown by its size until the cursor enters it", async () => {
        const lines = Array.from({ length: 9 }, (_, index) => `line ${index}`);
        send(`why: <paste ${lines.join("\r")}>?`);
        await shows("❯ why: [9 lines pasted]?");
        send("<left><left>");
        await shows(`❯ why: ${lines.join("\n  ")}?`);
        send("<ctrl-home><right>");
        await shows("❯ why: [9 lines pasted]?");
        await terminal.waitUntil(() => terminal.cursor().column === 3, "the cursor in 3");
        send(`<ctrl-c><paste ${lines.join("\r")}\r>!`);
        await shows("❯ [9 lines pasted]!");
        send(`<ctrl-c><paste ${"x".repeat(2_001)}>!`);
        await shows("❯ [2,001 characters pasted]!");
        terminal.press("enter");
        await terminal.waitFor("● You sent 1 lines, 2002 characters");
    });

    it("Several lines that arrive at once count as a paste, even unmarked", async () => {
        terminal.type("one\rtwo\rthree\r");
        await shows("❯ one\n  two\n  three");
        terminal.press("enter");
        await terminal.waitFor("● You sent 3 lines, 13 characters");
        await shows("❯");
    });

    function send(typed: string): void {
        for (const part of typed.split(/(<[^<>]+>)/)) {
            const key = /^<([^<>]+)>$/.exec(part)?.[1];
            if (key === undefined) {
                terminal.type(part);
            } else if (key.startsWith("\u001b")) {
                terminal.type(key);
            } else if (key.startsWith("paste ")) {
                terminal.type(`\u001b[200~${key.slice(6)}\u001b[201~`);
            } else {
                terminal.press(key);
            }
        }
    }
});
