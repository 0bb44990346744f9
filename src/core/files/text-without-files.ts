import { FileBlockParser } from "./file-block-parser.js";

/** A stored reply as displayed: only the name remains of each file. */
export function textWithoutFiles(text: string): string {
    const parser = new FileBlockParser();
    const shown = [...parser.push(text), ...parser.end()].map((event) => {
        if (event.type === "text") return event.text;
        return event.type === "file-opened" ? `[file ${event.path}]\n` : "";
    });
    return shown.join("");
}
