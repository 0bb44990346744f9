import { expect } from "chai";
import { TurnOutputs } from "../../../../src/core/agent/calls/outputs.js";
import type { ToolResult, ToolSuccess } from "../../../../src/plugin/index.js";
import { pngOf } from "../../../helpers/images.js";
import { scriptedModelInfo } from "../../../helpers/scripted-model.js";

const PNG = Buffer.from("89504e470d0a1a0a0000", "hex").toString("base64");
const PDF = Buffer.from("%PDF-1.7").toString("base64");
const TOLD = { content: '{"ok":true,"data":1}' };
const SEES = { ...scriptedModelInfo, images: true, documents: true };

function told(content: unknown, model = SEES) {
    const call = { type: "tool-call", callId: "1", name: "look", input: {} } as const;
    const result = { ok: true, data: 1, content: content as ToolSuccess["content"] };
    return new TurnOutputs("text", model).contentFor(call, result as ToolResult, undefined);
}

const image = { type: "image", mediaType: "image/png", data: PNG, name: "a.png" };
const pdf = { type: "document", mediaType: "application/pdf", data: PDF };

describe("Content parts of results", () => {
    it("Texts, files and images follow the data, each named in the text", () => {
        const parts = [{ type: "text", text: "See:" }, image, pdf, { type: "file", path: "b.ts" }];
        expect(told(parts)).to.deep.equal({
            ...TOLD,
            text: `${TOLD.content}\n\nSee:\n\n[Image: a.png, image/png]\n\n[Document: application/pdf]\n\n[File: b.ts]`,
            media: [image, pdf],
        });
    });

    it("Content that the model cannot take is replaced by text", () => {
        const { text, media } = told([image, pdf], { ...SEES, images: false, documents: false });
        expect(media).to.equal(undefined);
        expect(text).to.contain("[Image, which the current model cannot see: a.png, image/png]");
        expect(text).to.contain("[Document, which the current model cannot read: unnamed,");
    });

    it("An image of a tool with more pixels than vendors take is named with its size", () => {
        const tall = { ...image, data: pngOf(1_280, 8_001).toString("base64") };
        const { text, media } = told([tall]);
        expect(media).to.equal(undefined);
        expect(text).to.contain(
            "[Left out, as it has 1280 × 8001 pixels; the limit is 8000 a side: a.png, image/png]"
        );
        expect(
            told([{ ...image, data: pngOf(8_000, 8_000).toString("base64") }]).media?.length
        ).to.equal(1);
    });

    it("Mislabelled or oversized content from a tool reaches no vendor", () => {
        const lies = [
            null,
            { type: "image" },
            { ...image, mediaType: "image/jpeg" },
            { ...image, data: "not an image" },
            { ...image, data: PNG + "A".repeat(7_000_000) },
            { ...image, type: "document" },
            { ...image, type: "video" },
            { ...pdf, type: "image" },
            ...Array.from({ length: 1_000 }, () => ({ type: "text", text: "x".repeat(10_000) })),
        ];
        const { text = "", media } = told(lies);
        expect(media).to.equal(undefined);
        expect(text.length).to.be.at.most(150_000);
        expect(told("none")).to.deep.equal(TOLD);
        expect(told(Array.from({ length: 20 }, () => image)).media).to.have.length(10);
    });
});
