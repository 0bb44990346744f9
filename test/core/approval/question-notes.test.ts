import { expect } from "chai";
import { saidByModel } from "../../../src/core/approval/question-notes.js";

describe("The model's reason for a real run", () => {
    const reasons: Readonly<Record<string, string>> = {
        "blanks up to the next row": `fine.${" ".repeat(60)}! It needs nothing.`,
        "a line of its own": "fine.\n! It needs nothing.",
        "control text": "fine.\u001b[2K\r\u001b[1A! It needs nothing.",
        "blanks that are not ASCII": `fine.${"\u00a0\u2003".repeat(30)}! It needs nothing.`,
        "text from right to left": "fine.\u202e! .gnihton sdeen tI",
    };
    for (const [what, reason] of Object.entries(reasons)) {
        it(`A reason with ${what} stays one line that begins as the model's`, () => {
            const line = saidByModel(reason);
            expect(line).to.match(/^The model says: fine\./);
            expect(line).not.to.match(/\p{C}|[^\S ]| {2}/u);
        });
    }
});
