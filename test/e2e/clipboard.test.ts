import * as fs from "node:fs";
import path from "node:path";
import { expect } from "chai";
import { ClaudeWorkplace, IDLE } from "../helpers/claude-workplace.js";
import { reply, text } from "../helpers/vendors/messages-server.js";
import type { PseudoTerminal } from "../helpers/pseudo-terminal.js";

const PNG =
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4z8AAAAMBAQDJ/pLvAAAAAElFTkSuQmCC";

describe("The clipboard in the chat", () => {
    let place: ClaudeWorkplace;
    let terminal: PseudoTerminal;

    beforeEach(() => {
        place = new ClaudeWorkplace();
    });
    afterEach(() => place.remove());

    /** The environment with a program of this name, which a shell script stands in for. */
    function withProgram(name: string, script: string): Record<string, string> {
        const folder = path.join(place.folder, "bin");
        fs.mkdirSync(folder, { recursive: true });
        fs.writeFileSync(path.join(folder, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
        return { PATH: `${folder}:${process.env.PATH}`, DISPLAY: ":7", HERE: place.folder };
    }

    async function send(line: string, expected: string): Promise<void> {
        terminal.type(`${line}\r`);
        await terminal.waitFor(expected);
        await terminal.waitFor(IDLE);
    }

    it("The last answer is copied by the system's program", async () => {
        await place.serve([reply(text("First."), text("\n\n```\ncode – €\n```"))]);
        const env = withProgram("xclip", 'cat > "$HERE/copied"; sleep 60 &');
        terminal = await place.chat([], { env });
        await send("Go", "code");
        await send("/copy 1", "Copied code block 1 of 1.");
        expect(fs.readFileSync(path.join(place.folder, "copied"), "utf8")).to.equal("code – €");
    });

    it("Without such a program the terminal itself copies", async () => {
        await place.serve([reply(text("An answer – €."))]);
        terminal = await place.chat();
        await send("Go", "An answer");
        await send("/copy", "Copied the answer (1 line).");
        const encoded = Buffer.from("An answer – €.").toString("base64");
        expect(terminal.raw()).to.contain(`\u001b]52;c;${encoded}\u0007`);
    });

    it("Ctrl+V puts the image on the clipboard into the message, and it is sent with it", async () => {
        await place.serve([reply(text("Red.")), reply(text("Gone."))]);
        const env = withProgram("xclip", `echo ${PNG} | base64 -d`);
        terminal = await place.chat([], { env });
        terminal.type("What is ");
        terminal.press("ctrl-v");
        await terminal.waitFor("❯ What is [Image 1]");
        await send("?", "● Red.");
        const first = place.server.requests[0]?.raw.toString() ?? "";
        expect(first).to.contain(PNG).and.to.contain("What is [Image 1] ?");
        terminal.press("ctrl-v");
        await terminal.waitFor("❯ [Image 2]");
        terminal.press("ctrl-u");
        await send("And now", "● Gone.");
        const second = place.server.requests[1]?.raw.toString() ?? "";
        expect(second.split(PNG)).to.have.length(2);
    });

    it("Ctrl+V says where there is no image", async () => {
        await place.serve([]);
        terminal = await place.chat([], { env: withProgram("xclip", "exit 1") });
        terminal.press("ctrl-v");
        await terminal.waitFor("There is no image on the clipboard.");
    });
});
