import { expect } from "chai";
import { openTerminal } from "./pseudo-terminal.js";

describe("The terminal of the tests", () => {
    it("A frame is on its screen only when it is complete", async () => {
        const program = `
            process.stdout.write("before\\r\\n\\u001b[?2026hfirst\\r\\n");
            process.stdin.once("data", () => process.stdout.write("second\\r\\n\\u001b[?2026l"));
        `;
        const terminal = openTerminal({ command: process.execPath, args: ["-e", program] });
        await terminal.waitUntil(() => terminal.raw().includes("first"));
        expect(terminal.screen()).to.contain("before").and.not.to.contain("first");
        terminal.press("enter");
        expect(await terminal.waitFor("first")).to.contain("second");
        await terminal.close();
    });
});
