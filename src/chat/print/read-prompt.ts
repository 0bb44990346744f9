import { once } from "node:events";
import { fstatSync } from "node:fs";
import { isBinary } from "../../base/binary.js";
import { NorthError } from "../../base/north-error.js";
import { within } from "../../base/waiting.js";

/** Max wait for silent stdin when a prompt was given, in milliseconds. */
const SILENT_STDIN_MS = 3_000;
const MAX_BYTES = 10 * 1024 * 1024;

interface PromptSource {
    readonly argument?: string;
    readonly stdin: NodeJS.ReadStream;
    /** Called if stdin stays silent. */
    warn(text: string): void;
}

/** The prompt argument, then stdin if any. Rejects with `no-prompt`, `input-too-large` or `binary-input`. */
export async function readPrompt(source: PromptSource): Promise<string> {
    const { argument = "", stdin } = source;
    const piped = stdin.isTTY ? "" : await (argument === "" ? collect(stdin) : readIfAny(source));
    const prompt = [argument, piped.trimEnd()].filter((text) => text !== "").join("\n\n");
    if (prompt.trim() !== "") return prompt;
    throw new NorthError("no-prompt", "No prompt given.", [
        'Pass one: `north -p "What does this project do?"`, or pipe it in.',
    ]);
}

async function readIfAny({ stdin, warn }: PromptSource): Promise<string> {
    const kind = inputKind();
    if (kind === "none") return "";
    if (kind === "file" || (await isReadable(stdin))) return collect(stdin);
    warn("Standard input is open but silent; continuing without it.");
    stdin.destroy();
    return "";
}

function inputKind(): "file" | "pipe" | "none" {
    try {
        const status = fstatSync(0);
        if (status.isFile()) return "file";
        return status.isFIFO() || status.isSocket() ? "pipe" : "none";
    } catch {
        return "none";
    }
}

async function isReadable(stdin: NodeJS.ReadStream): Promise<boolean> {
    const ready = Promise.race([once(stdin, "readable"), once(stdin, "end")]).then(() => true);
    return within(SILENT_STDIN_MS, ready, () => false);
}

async function collect(stdin: NodeJS.ReadStream): Promise<string> {
    const chunks: Buffer[] = [];
    let bytes = 0;
    for await (const chunk of stdin) {
        const buffer = Buffer.from(chunk);
        bytes += buffer.byteLength;
        if (bytes > MAX_BYTES) {
            throw new NorthError("input-too-large", "Standard input is larger than 10 MB.", [
                "Save it as a file in the project and name the file in the prompt.",
            ]);
        }
        chunks.push(buffer);
    }
    const input = Buffer.concat(chunks);
    if (!isBinary(input)) return input.toString("utf8");
    throw new NorthError("binary-input", "Standard input is not text.", [
        "--file PATH attaches an image or a PDF.",
    ]);
}
