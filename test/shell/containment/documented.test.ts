import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";

import { expect } from "chai";

import { SandboxContainment } from "../../../src/shell/containment/macos/sandbox.js";
import * as toolchains from "../../../src/shell/containment/toolchains.js";
import { makeRepository } from "../../workspace/make-folder.js";
import { optionsFor } from "./contained.js";

const PAGE = readFileSync(new URL("../../../docs/containment.md", import.meta.url), "utf8");

/** The code spans of the paragraph or row that begins with a word. */
function listed(start: string): string[] {
    const [, text = ""] =
        new RegExp(`^\\|? ?${start}\\b([^]*?)\\n(?:\\n|\\|)`, "m").exec(PAGE) ?? [];
    return [...text.matchAll(/`([^`]+)`/g)].map(([, span = ""]) => span);
}

describe("the page about containment", () => {
    for (const [start, places] of [
        ["System folders", toolchains.SYSTEM],
        ["Private folders", toolchains.PRIVATE],
        ["Toolchains", toolchains.SHOWN],
        ["Caches", toolchains.CACHES],
    ] as const) {
        it(`${start} of contained commands are listed as they are`, () => {
            expect(listed(start)).to.deep.equal([...places]);
        });
    }
});

describe("the profile for sandbox-exec", () => {
    it("On macOS what the profile does not name is denied, and credentials are", async () => {
        const home = realpathSync(mkdtempSync(path.join(tmpdir(), "north-home-")));
        mkdirSync(path.join(home, ".cargo"));
        writeFileSync(path.join(home, ".cargo", "credentials.toml"), "[registry]\ntoken = 'x'\n");
        const containment = new SandboxContainment({ ...optionsFor(makeRepository(), home), home });
        const profile = containment.describe();
        await containment.dispose();
        rmSync(home, { recursive: true });
        expect(profile[1]).to.equal("(deny default)");
        expect(profile).to.include(`(deny file-read* (subpath "${home}/.cargo/credentials.toml"))`);
        expect(profile.join("\n")).not.to.match(/allow (?:default|network|appleevent|lsopen)/);
    });
});
