import { expect } from "chai";
import { toMessageParam } from "../../../src/builtin/providers/anthropic/message-mapping.js";
import { toChatMessages } from "../../../src/builtin/providers/compatible/message-mapping.js";
import { toInputItems } from "../../../src/builtin/providers/openai/message-mapping.js";
import type { ToolMessage } from "../../../src/plugin/index.js";
import { modelNamed } from "./support.js";

const SEES = { ...modelNamed("claude-sonnet-5-5"), images: true, documents: true };
const BLIND = { ...SEES, images: false, documents: false };
const RESULT: ToolMessage = {
    role: "tool",
    content: [
        {
            type: "tool-result",
            callId: "call1",
            name: "read_file",
            content: "a.png and b.pdf",
            isError: false,
            media: [
                { type: "image", mediaType: "image/png", data: "aW1n", name: "a.png" },
                { type: "document", mediaType: "application/pdf", data: "cGRm", name: "b.pdf" },
            ],
        },
    ],
};

describe("Images and PDFs of results", () => {
    it("Anthropic gets a result's images and PDFs inside the result, if the model accepts them", () => {
        const source = (media_type: string, data: string) => ({ type: "base64", media_type, data });
        const block = { type: "tool_result", tool_use_id: "call1" };
        expect(toMessageParam(RESULT, SEES, "", "anthropic")?.content).to.deep.equal([
            {
                ...block,
                content: [
                    { type: "text", text: "a.png and b.pdf" },
                    { type: "image", source: source("image/png", "aW1n") },
                    { type: "document", source: source("application/pdf", "cGRm") },
                ],
            },
        ]);
        expect(toMessageParam(RESULT, BLIND, "", "anthropic")?.content).to.deep.equal([
            { ...block, content: "a.png and b.pdf" },
        ]);
    });

    it("OpenAI gets a result's images and PDFs inside the result, if the model accepts them", () => {
        const item = { type: "function_call_output", call_id: "call1" };
        const image_url = "data:image/png;base64,aW1n";
        const file_data = "data:application/pdf;base64,cGRm";
        expect(toInputItems(RESULT, SEES)).to.deep.equal([
            {
                ...item,
                output: [
                    { type: "input_text", text: "a.png and b.pdf" },
                    { type: "input_image", detail: "auto", image_url },
                    { type: "input_file", filename: "b.pdf", file_data },
                ],
            },
        ]);
        expect(toInputItems(RESULT, BLIND)).to.deep.equal([{ ...item, output: "a.png and b.pdf" }]);
    });

    it("A compatible server gets a result's images in a message after the results", () => {
        const tool = { role: "tool", tool_call_id: "call1", content: "a.png and b.pdf" };
        const [result, images] = toChatMessages(RESULT, SEES, "house");
        expect(result).to.deep.equal(tool);
        expect(images?.content).to.deep.equal([
            { type: "text", text: "The images of the results above, in order." },
            { type: "image_url", image_url: { url: "data:image/png;base64,aW1n" } },
        ]);
        expect(toChatMessages(RESULT, BLIND, "house")).to.deep.equal([tool]);
    });
});
