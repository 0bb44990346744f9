import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect } from "chai";
import { northCommand } from "../../src/base/north-command.js";
import { temporaryFolder } from "../storage/temporary-folder.js";

describe("The command that starts this program again", () => {
    const folder = temporaryFolder();

    function searchPath(mode: number): string {
        const file = path.join(folder(), "bin", "north");
        mkdirSync(path.dirname(file));
        writeFileSync(file, "#!/bin/sh\n");
        chmodSync(file, mode);
        return `/nowhere:${path.dirname(file)}`;
    }

    const cases = [
        ["bin/run.js", "bin/run.js below the current folder"],
        ["../north/bin/run.js", "the shorter way from a sibling folder"],
        ["../it's here/bin/run.js", "'../it'\\''s here/bin/run.js'", "a folder that needs quotes"],
    ];
    for (const [from = "", shown = "", name = shown] of cases) {
        it(`Where PATH has no north, it is node and ${name}`, () => {
            const program = path.resolve("/home/somebody/project", from);
            const expected = name === shown ? from : shown;
            expect(northCommand("/nowhere", program, "/home/somebody/project")).to.equal(
                `node ${expected}`
            );
        });
    }

    it("A program far from the current folder is named by its whole path", () => {
        expect(northCommand("", "/opt/n/bin/run.js", "/home/somebody/a/b")).to.equal(
            "node /opt/n/bin/run.js"
        );
    });

    it("Where PATH has a north that can be run, it is north", () => {
        expect(northCommand(searchPath(0o755), "/x/bin/run.js", "/x")).to.equal("north");
    });

    it("A file called north on PATH that is not executable does not count", () => {
        expect(northCommand(searchPath(0o644), "/x/bin/run.js", "/x")).to.equal("node bin/run.js");
    });
});
