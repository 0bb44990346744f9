import { FileBlockParser } from "./file-block-parser.js";

/** A stored reply as it was shown: of each file in it there is only the name. */
export function textWithoutFiles(text: string): string {
    const parser = new FileBlockParser();
    const shown = [...parser.push(text), ...parser.end()].map((event) => {
        if (event.type === "text") return event.text;
        return event.type === "file-opened" ? `[file ${event.path}]\n` : "";
    });
    return shown.join("");
}
