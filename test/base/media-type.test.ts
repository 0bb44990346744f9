import { expect } from "chai";
import fc from "fast-check";
import { sizeInPixels } from "../../src/base/image-size.js";
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

    for (const [name, type, hex] of [
        ["PNG", "image/png", "89504e470d0a1a0a0000000d49484452 00002328 00000064"],
        [
            "JPEG",
            "image/jpeg",
            "ffd8ffe000104a46494600010100000100010000 ffc00011080064232803012200",
        ],
        ["GIF", "image/gif", "474946383961 2823 6400"],
        [
            "WebP with a header",
            "image/webp",
            "52494646000000005745425056503858 0a00000000000000 272300 630000",
        ],
        ["lossless WebP", "image/webp", "5249464600000000574542505650384c 000000002f 27e31800"],
        [
            "lossy WebP",
            "image/webp",
            "52494646000000005745425056503820 00000000 303030 9d012a 28236400",
        ],
    ] as const) {
        it(`The size of an image is read from its beginning: ${name}`, () => {
            const bytes = Buffer.from(hex.replaceAll(" ", ""), "hex");
            expect(mediaTypeOf(bytes)).to.equal(type);
            expect(sizeInPixels(type, bytes)).to.deep.equal({ width: 9_000, height: 100 });
            expect(sizeInPixels(type, bytes.subarray(0, 8))).to.equal(undefined);
        });
    }

    it("No bytes keep the reading of a size from ending", () => {
        const types = ["image/png", "image/jpeg", "image/gif", "image/webp", "constructor"];
        fc.assert(
            fc.property(
                fc.constantFrom(...types),
                fc.uint8Array({ maxLength: 99 }),
                (type, bytes) => {
                    const start =
                        type === "image/jpeg" ? "ffd8ffe0" : "524946460000000057454250565038";
                    const size = sizeInPixels(
                        type,
                        Buffer.concat([Buffer.from(start, "hex"), bytes])
                    );
                    expect(size?.width ?? 1).to.be.above(0);
                }
            )
        );
        const many = Buffer.from(`ffd8${"ffe10002".repeat(900_000)}`, "hex");
        expect(sizeInPixels("image/jpeg", many)).to.equal(undefined);
    });
});
