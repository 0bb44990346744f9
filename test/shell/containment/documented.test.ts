import { readFileSync } from "node:fs";
import { expect } from "chai";
import * as toolchains from "../../../src/shell/containment/toolchains.js";

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
        ["Toolchains and settings", toolchains.SHOWN],
        ["Caches", toolchains.CACHES],
    ] as const) {
        it(`${start} of contained commands are listed as they are`, () => {
            expect(listed(start)).to.deep.equal([...places]);
        });
    }
});
