import { once } from "node:events";
import net from "node:net";
import path from "node:path";
import { PassThrough } from "node:stream";

import { expect } from "chai";

import { systemClock } from "../../../src/chat/questions/deliberate-keys.js";
import { Keyboard } from "../../../src/chat/terminal/keyboard.js";
import { chord, type Key } from "../../../src/chat/terminal/keys.js";
import { eventually } from "../../helpers/north-program.js";
import { makeFolder } from "../../workspace/make-folder.js";

function describeKey(key: Key): string {
    return chord(key) ?? `${key.type} ${key.type === "press" ? "" : key.text}`;
}

describe("Keyboard", () => {
    let input: PassThrough;
    let keyboard: Keyboard;
    let keys: string[];

    beforeEach(() => {
        input = new PassThrough();
        keyboard = new Keyboard(input as PassThrough & NodeJS.ReadStream);
        keyboard.start();
        keys = [];
        keyboard.take((key) => keys.push(describeKey(key)));
    });

    afterEach(() => keyboard.stop());

    async function send(data: string): Promise<readonly string[]> {
        keys = [];
        input.write(data);
        await keyboard.drain();
        return keys;
    }

    const cases: readonly (readonly [string, string])[] = [
        ["\r", "enter"],
        ["\n", "newline"],
        ["\u001b\r", "alt-enter"],
        ["\u001b[13;2u", "shift-enter"],
        ["\u001b[27;2;13~", "shift-enter"],
        ["\u001b[99;5u", "ctrl-c"],
        ["\u001b[27u", "escape"],
        ["\u001b[27;1u", "escape"],
        ["\u0003", "ctrl-c"],
        ["\u0015", "ctrl-u"],
        ["\u001bb", "alt-b"],
        ["\u001b[1;5D", "ctrl-left"],
        ["\u001b[1;3C", "alt-right"],
        ["\u001bOH", "home"],
        ["\u001b[H", "home"],
        ["\u001b[4~", "end"],
        ["\u001b[3~", "delete"],
        ["\u007f", "backspace"],
        ["\u001b\u007f", "alt-backspace"],
        ["\t", "tab"],
        ["\u001b[Z", "shift-tab"],
        ["A", "text A"],
        ["漢", "text 漢"],
        [" ", "text  "],
    ];
    for (const [sequence, key] of cases) {
        it(`The sequence ${JSON.stringify(sequence)} is read as ${key}`, async () => {
            expect(await send(sequence)).to.deep.equal([key]);
        });
    }

    it("A lone Escape is read without waiting for another key", async () => {
        expect(await send("\u001b")).to.deep.equal(["escape"]);
    });

    it("Characters split into bytes are joined", async () => {
        const bytes = Buffer.from("漢");
        input.write(bytes.subarray(0, 1));
        input.write(bytes.subarray(1));
        await keyboard.drain();
        expect(keys).to.deep.equal(["text 漢"]);
    });

    it("An Enter right after a marked paste is a key, after an unmarked one part of it", async () => {
        const line = "x".repeat(600);
        const marked = await send(`\u001b[200~${line}\r${line}\u001b[201~`);
        expect([...marked, ...(await send("\r"))].at(-1)).to.equal("enter");
        const unmarked = await send(`${line}\r${line}`);
        expect([...unmarked, ...(await send("\r"))]).to.deep.equal([
            `paste ${line}\r${line}`,
            "paste \r",
        ]);
    });

    it("Each key reaches only the handler that took the keyboard last", async () => {
        const second: string[] = [];
        const release = keyboard.take((key) => second.push(describeKey(key)));
        expect(await send("a")).to.deep.equal([]);
        release();
        expect(await send("b")).to.deep.equal(["text b"]);
        expect(second).to.deep.equal(["text a"]);
    });

    it("Keys that arrive together with an answer never reach the next handler", async () => {
        const release = keyboard.take((key) => {
            keyboard.absorb(key);
            release();
        });
        expect(await send("yes")).to.deep.equal([]);
        expect(await send("y")).to.deep.equal([], "the key repeats itself");
        expect(await send("n")).to.deep.equal(["text n"]);
    });

    it("The same key pressed again answers the next question", async () => {
        const answers: string[] = [];
        for (let question = 0; question < 2; question += 1) {
            const release = keyboard.take((key) => {
                answers.push(describeKey(key));
                keyboard.absorb(key);
                release();
            });
            await send("y");
        }
        expect(answers).to.deep.equal(["text y", "text y"]);
    });

    it("Input that arrived while North was blocked is read before a time limit applies", async () => {
        const file = path.join(makeFolder(), "socket");
        const server = net.createServer().listen(file);
        const near = net.connect(file);
        const [far]: net.Socket[] = await once(server, "connection");
        keyboard = new Keyboard(near as net.Socket & NodeJS.ReadStream);
        keyboard.start();
        keyboard.take((key) => keys.push(describeKey(key)));
        far!.write("\u001b");
        await once(near, "data");
        systemClock.wait(50, () => keys.push("the limit"));
        far!.write("[A");
        // Longer than both limits.
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 200);
        await eventually(() => keys.includes("the limit"), "the limit");
        near.destroy();
        server.close();
        expect(keys).to.deep.equal(["up", "the limit"]);
    });
});
