import { expect } from "chai";
import { blameText } from "../../../src/host/operations/blame-file.js";

describe("The text of north blame", () => {
    it("Lines keep their indentation, and show what controls a terminal", () => {
        const lines = ["if (a) {", "    b();\u001b[2J", "}"].map((text, index) => ({
            line: index + 1,
            text,
        }));
        const blamed = { root: "/r", path: "a.js", lines, warnings: [] };
        expect(blameText(blamed).split("\n")).to.deep.equal([
            "1  not North      if (a) {",
            "2  not North          b();^[[2J",
            "3  not North      }",
        ]);
    });
});
