import { expect } from "chai";
import { mediaTypeOf } from "../../src/base/media-type.js";

describe("Media types", () => {
    it("Images that vendors take and PDFs are recognized by their first bytes", () => {
        const kinds = [
            "89504e470d0a1a0a0000",
            "ffd8ffe0",
            "47494638396100",
            "524946461234567857454250",
            "255044462d312e37",
            "52494646",
        ];
        expect(kinds.map((hex) => mediaTypeOf(Buffer.from(hex, "hex")))).to.deep.equal([
            "image/png",
            "image/jpeg",
            "image/gif",
            "image/webp",
            "application/pdf",
            undefined,
        ]);
    });
});
