import { expect } from "chai";

import { notification } from "../../../src/chat/terminal/notification.js";

describe("Notifications", () => {
    const text = "project; \u001b]0;evil\u0007waits";

    it("By default nothing is sent, and the bell rings when configured", () => {
        expect(notification("off", text, { TERM_PROGRAM: "iTerm.app" })).to.equal("");
        expect(notification("bell", text, { TERM_PROGRAM: "iTerm.app" })).to.equal("\u0007");
    });

    it("A desktop notification uses the terminal's own sequence, or the bell where there is none", () => {
        const simple = "\u001b]9;North: project, waits\u0007";
        const titled = "\u001b]777;notify;North;project, waits\u0007";
        for (const TERM_PROGRAM of ["iTerm.app", "WezTerm", "ghostty"]) {
            expect(notification("desktop", text, { TERM_PROGRAM })).to.equal(simple);
        }

        expect(notification("desktop", text, { TERM: "xterm-kitty" })).to.equal(simple);
        expect(notification("desktop", text, { TERM: "foot-extra" })).to.equal(titled);
        expect(notification("desktop", text, { VTE_VERSION: "7003" })).to.equal(titled);
        expect(notification("desktop", text, { TERM: "xterm-256color" })).to.equal("\u0007");
        expect(
            notification("desktop", text, { TERM_PROGRAM: "tmux", VTE_VERSION: "7003" })
        ).to.equal("\u0007");
    });
});
