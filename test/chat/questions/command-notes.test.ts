import { expect } from "chai";

import { whyUnlisted } from "../../../src/chat/questions/why-unlisted.js";

describe("whyUnlisted", () => {
    const allowed = [
        { command: "npm test", cwd: "app" },
        { command: "git status", cwd: "" },
    ];

    it("An unlisted command's note says what is allowed instead", () => {
        expect(whyUnlisted("npm test", "", allowed)).to.equal("It is allowed in app, not here.");
        expect(whyUnlisted("git status", "app", allowed)).to.contain("in the project folder, not");
        expect(whyUnlisted("git  status", "", allowed)).to.contain("whitespace");
        expect(whyUnlisted("git status && rm x", "", allowed)).to.contain("Only `git status`");
        expect(whyUnlisted("make", "", allowed)).to.contain("not in this project's allowlist");
        expect(whyUnlisted("make", undefined, allowed)).to.contain("Outside the project");
    });
});
