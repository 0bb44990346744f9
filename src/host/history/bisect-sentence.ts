import { counted, firstWords } from "../../base/format.js";
import type { Bisected } from "./bisect.js";

/** The result of a bisect for a person. */
export function bisectSentence({ result, turn, question = "", command, runs }: Bisected): string {
    const after = `after ${counted(runs, "run")}`;
    switch (result) {
        case "turn":
            return `Turn ${turn} is the first after which \`${command}\` fails (${after}): ${firstWords(question)}`;
        case "others":
            return turn === undefined
                ? `No turn: \`${command}\` fails since the files were edited after the last turn (${after}).`
                : `No turn: \`${command}\` fails since somebody else edited the files before turn ${turn} (${after}).`;
        case "fails-from-the-start":
            return `\`${command}\` fails already before the first turn (${after}).`;
        case "never-fails":
            return `\`${command}\` does not fail after any turn (${after}).`;
        default:
            return result satisfies never;
    }
}
