import type { DocumentPart, ImagePart, Message, ModelInfo } from "../plugin/index.js";
import { sizeInPixels } from "../base/image-size.js";

type Media = ImagePart | DocumentPart;

/** What a vendor accepts in one request. */
interface MediaLimit {
    readonly type: Media["type"];
    readonly most: number;
    /**
     * How many are left out at a time: whenever more are, the vendor has cached nothing of what
     * follows them. 1 by default.
     */
    readonly step?: number;
    /** The limit holds only for requests with such a part; for all by default. */
    readonly isCause?: (part: Media) => boolean;
}

/**
 * Leaves out the oldest images or PDFs of a conversation beyond a limit, where the vendor would
 * refuse every later request, and tells the model. Messages without them keep their identity, as do
 * shortened ones.
 */
export function createMediaLimit(limit: MediaLimit) {
    const { type, most, step = 1, isCause = () => true } = limit;
    const amounts = new WeakMap<Message, number>();
    const amountIn = (message: Message) => {
        const amount = amounts.get(message) ?? mediaOf(message, type).length;
        amounts.set(message, amount);
        return amount;
    };
    const shortened = new WeakMap<Message, { readonly count: number; readonly message: Message }>();
    return (messages: readonly Message[], model: ModelInfo): readonly Message[] => {
        if ((type === "image" ? model.images : model.documents) !== true) return messages;
        const surplus = messages.reduce((sum, message) => sum + amountIn(message), 0) - most;
        if (surplus <= 0) return messages;
        if (!messages.some((message) => mediaOf(message, type).some(isCause))) return messages;
        let left = Math.ceil(surplus / step) * step;
        return messages.map((message) => {
            const count = Math.min(left, amountIn(message));
            if (count === 0) return message;
            left -= count;
            const known = shortened.get(message);
            if (known?.count === count) return known.message;
            const fresh = without(message, count, limit);
            shortened.set(message, { count, message: fresh });
            return fresh;
        });
    };
}

function mediaOf(message: Message, type: Media["type"]): Media[] {
    if (message.role === "assistant") return [];
    const parts =
        message.role === "user"
            ? message.content
            : message.content.flatMap(({ media = [] }) => media);
    return parts.filter((part): part is Media => part.type === type);
}

/** The message without the first `count` of them. */
function without(message: Message, count: number, { type, most }: MediaLimit): Message {
    let left = count;
    const isLeftOut = (part: { readonly type: string }) => part.type === type && left-- > 0;
    const note = ({ name, mediaType }: Media) =>
        `[${name ?? mediaType}: no longer sent, only the newest ${most} ${type}s are]`;
    if (message.role === "user") {
        const content = message.content.map((part) =>
            part.type !== "text" && isLeftOut(part)
                ? { type: "text" as const, text: note(part) }
                : part
        );
        return { ...message, content };
    }
    if (message.role === "assistant") return message;
    const content = message.content.map((result) => {
        const { media = [] } = result;
        const gone = media.filter(isLeftOut);
        return {
            ...result,
            content: [result.content, ...gone.map(note)].join("\n\n"),
            media: media.filter((part) => !gone.includes(part)),
        };
    });
    return { ...message, content };
}

/** Enough for the size of most images. */
const HEAD = 100_000;

/** Whether an image has a side of more than so many pixels, or of a number that cannot be told. */
function hasSideOver(pixels: number): (part: Media) => boolean {
    return ({ mediaType, data }) => {
        const sizeOf = (text: string) => sizeInPixels(mediaType, Buffer.from(text, "base64"));
        const { width, height } = sizeOf(data.slice(0, HEAD)) ?? sizeOf(data) ?? {};
        return Math.max(width ?? Infinity, height ?? Infinity) > pixels;
    };
}

/** https://platform.claude.com/docs/en/build-with-claude/vision#request-limits */
export const CLAUDE_IMAGES: MediaLimit = {
    type: "image",
    most: 20,
    step: 10,
    isCause: hasSideOver(2_000),
};
