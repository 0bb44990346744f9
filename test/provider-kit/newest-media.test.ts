import { expect } from "chai";
import type { ImagePart, Message } from "../../src/plugin/index.js";
import { CLAUDE_IMAGES, createMediaLimit } from "../../src/provider-kit/newest-media.js";
import { pngOf } from "../helpers/images.js";
import { scriptedModelInfo } from "../helpers/scripted-model.js";

const SEES = { ...scriptedModelInfo, images: true };

function shot(number: number, width = 1_920): ImagePart {
    const data = pngOf(width, 1_080).toString("base64");
    return { type: "image", mediaType: "image/png", data, name: `${number}.png` };
}

/** A question with the first image, then results with two each. */
function conversation(images: readonly ImagePart[]): Message[] {
    const [first, ...others] = images;
    const results = others.flatMap((_, index) =>
        index % 2 ? [] : [others.slice(index, index + 2)]
    );
    return [
        { role: "user", content: [...(first ? [first] : []), { type: "text", text: "Look" }] },
        ...results.map((media, index): Message => ({
            role: "tool",
            content: [
                {
                    ...{ type: "tool-result", callId: `${index}`, name: "look" },
                    ...{ content: "Seen.", isError: false, media },
                },
            ],
        })),
    ];
}

function sentIn(messages: readonly Message[]): string[] {
    return messages.flatMap(({ role, content }) =>
        role === "assistant"
            ? []
            : content.flatMap((part) =>
                  (part.type === "tool-result" ? (part.media ?? []) : [part]).flatMap((each) =>
                      each.type === "image" ? [each.name ?? ""] : []
                  )
              )
    );
}

const numbers = (from: number, to: number) =>
    Array.from({ length: to - from + 1 }, (_, index) => from + index);
const names = (from: number, to: number) => numbers(from, to).map((number) => `${number}.png`);

describe("Images and PDFs beyond what a vendor takes in one request", () => {
    const limit = () => createMediaLimit(CLAUDE_IMAGES);

    it("All images are sent while the vendor takes them", () => {
        const twenty = conversation(numbers(1, 20).map((number) => shot(number, 4_000)));
        expect(limit()(twenty, SEES)).to.equal(twenty);
        const small = conversation(numbers(1, 60).map((number) => shot(number)));
        expect(limit()(small, SEES)).to.equal(small);
    });

    it("With one large image the oldest are left out, ten at a time, and the model is told", () => {
        const all = numbers(1, 31).map((number) => shot(number, number === 9 ? 2_001 : 1_920));
        const within = limit();
        for (const [amount, first] of [
            [21, 11],
            [30, 11],
            [31, 21],
        ] as const) {
            const sent = within(conversation(all.slice(0, amount)), SEES);
            expect(sentIn(sent), `${amount} images`).to.deep.equal(names(first, amount));
            const text = JSON.stringify(sent);
            expect(text).to.contain("[1.png: no longer sent, only the newest 20 images are]");
            expect(text.split("no longer sent")).to.have.length(first);
        }
    });

    it("A shortened message stays the same object, so that its bytes are made once", () => {
        const within = limit();
        const messages = conversation(numbers(1, 25).map((number) => shot(number, 3_000)));
        const again = within(messages, SEES);
        expect(within(messages, SEES).every((each, index) => each === again[index])).to.equal(true);
        expect(again[0]).not.to.equal(messages[0]);
        expect(again.at(-1)).to.equal(messages.at(-1));
    });

    it("An image whose size cannot be told counts as large", () => {
        const odd = { ...shot(1), data: "AAAA" };
        const messages = conversation([odd, ...numbers(2, 21).map((number) => shot(number))]);
        expect(sentIn(limit()(messages, SEES))).to.deep.equal(names(11, 21));
    });
});
