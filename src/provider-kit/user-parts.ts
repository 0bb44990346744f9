import type { ImagePart, ModelInfo, TextPart, UserMessage } from "../plugin/index.js";

/** The types of image that all vendors take. */
const IMAGE_TYPES = ["image/png", "image/jpeg", "image/gif", "image/webp"] as const;

/** An image of a type that can be sent. */
export type SendableImage = ImagePart & { readonly mediaType: (typeof IMAGE_TYPES)[number] };

/**
 * What of a message a vendor can be sent: none takes blank text, and images go to models that see,
 * as their names to others.
 */
export function sendableParts(
    { content }: UserMessage,
    model: ModelInfo
): readonly (TextPart | SendableImage)[] {
    return content
        .map((part): TextPart | SendableImage => {
            if (part.type === "text") return part;
            if (model.images !== true) return named(part.name ?? part.mediaType);
            return isSendable(part)
                ? part
                : named(`of a type that cannot be sent: ${part.mediaType}`);
        })
        .filter((part) => part.type === "image" || !isBlank(part.text));
}

/** Text that vendors reject: empty, or nothing but white space. */
export function isBlank(text: string): boolean {
    return text.trim() === "";
}

function isSendable(part: ImagePart): part is SendableImage {
    return IMAGE_TYPES.some((type) => type === part.mediaType);
}

function named(name: string): TextPart {
    return { type: "text", text: `[Image: ${name}]` };
}
