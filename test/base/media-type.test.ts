import { expect } from "chai";
import { mediaTypeOf, sizeInPixels } from "../../src/base/media-type.js";

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

    for (const [type, hex] of [
        ["image/png", "89504e470d0a1a0a0000000d49484452 00002328 00000064"],
        ["image/jpeg", "ffd8ffe000104a46494600010100000100010000 ffc00011080064232803012200"],
        ["image/gif", "474946383961 2823 6400"],
        ["image/webp", "52494646000000005745425056503858 0a00000000000000 272300 630000"],
    ] as const) {
        it(`The size of an image is read from its beginning: ${type}`, () => {
            const bytes = Buffer.from(hex.replaceAll(" ", ""), "hex");
            expect(mediaTypeOf(bytes)).to.equal(type);
            expect(sizeInPixels(type, bytes)).to.deep.equal({ width: 9_000, height: 100 });
            expect(sizeInPixels(type, bytes.subarray(0, 8))).to.equal(undefined);
        });
    }
});
