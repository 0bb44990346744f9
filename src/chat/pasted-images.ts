import type { GivenAttachment } from "../core/message/attachments.js";

/** Images pasted into messages, sent with each message that still contains their label. */
export class PastedImages {
    private readonly images: string[] = [];

    add(image: Buffer): string {
        return labelOf(this.images.push(image.toString("base64")));
    }

    in(text: string): readonly GivenAttachment[] {
        return this.images.flatMap((data, index) => {
            const name = labelOf(index + 1);
            return text.includes(name) ? [{ kind: "image" as const, name, data }] : [];
        });
    }
}

function labelOf(number: number): string {
    return `[Image ${number}]`;
}
