import { spawn } from "node:child_process";
import { MAX_IMAGE_BYTES } from "../../base/media-type.js";
import { NorthError } from "../../base/north-error.js";
import { absoluteSearchPath } from "../../base/search-path.js";
import type { Terminal } from "./terminal.js";

type ClipboardCommand = readonly [program: string, ...args: string[]];

const LIMIT_MS = 3_000;
/** Terminals ignore longer sequences. */
const MAX_SEQUENCE_LENGTH = 100_000;

/** Copies by a system program, else by the terminal, even over SSH. Rejects with `not-copied`. */
export async function copy(
    text: string,
    { environment, write }: Pick<Terminal, "environment" | "write">
): Promise<void> {
    for (const command of copyingPrograms(environment)) {
        if (await run(command, environment, text)) return;
    }
    // https://invisible-island.net/xterm/ctlseqs/ctlseqs.html#h3-Operating-System-Commands
    const sequence = `\u001b]52;c;${Buffer.from(text).toString("base64")}\u0007`;
    if (sequence.length <= MAX_SEQUENCE_LENGTH && environment.TERM !== "dumb") {
        return write(sequence);
    }
    throw new NorthError("not-copied", "The text was not copied.", [
        "Install xclip or wl-clipboard; `/export` writes the conversation to a file.",
    ]);
}

/** The image on the clipboard, as PNG; `undefined` if there is none. */
export async function clipboardImage(environment: NodeJS.ProcessEnv): Promise<Buffer | undefined> {
    for (const command of imagePrograms(environment)) {
        const image = await run(command, environment);
        if (image && image.length > 0) return image;
    }
    return undefined;
}

function copyingPrograms({
    WAYLAND_DISPLAY,
    DISPLAY,
    TMUX,
}: NodeJS.ProcessEnv): ClipboardCommand[] {
    if (process.platform === "darwin") return [["pbcopy"]];
    return [
        ...(WAYLAND_DISPLAY ? [["wl-copy"] as const] : []),
        ...(DISPLAY
            ? [["xclip", "-selection", "clipboard"] as const, ["xsel", "-ib"] as const]
            : []),
        // By default tmux ignores clipboard sequences from programs inside it.
        ...(TMUX ? [["tmux", "load-buffer", "-w", "-"] as const] : []),
    ];
}

function imagePrograms({ WAYLAND_DISPLAY, DISPLAY }: NodeJS.ProcessEnv): ClipboardCommand[] {
    if (process.platform === "darwin") return [["pngpaste", "-"]];
    return [
        ...(WAYLAND_DISPLAY ? [["wl-paste", "--type", "image/png"] as const] : []),
        ...(DISPLAY
            ? [["xclip", "-selection", "clipboard", "-t", "image/png", "-o"] as const]
            : []),
    ];
}

/** Returns stdout; `undefined` if the program is missing, fails or times out. */
function run(
    [program, ...args]: ClipboardCommand,
    environment: NodeJS.ProcessEnv,
    input?: string
): Promise<Buffer | undefined> {
    return new Promise((resolve) => {
        const child = spawn(program, args, {
            // xclip keeps running to serve the text, and must not hold our pipe open.
            stdio: ["pipe", input === undefined ? "pipe" : "ignore", "ignore"],
            env: { ...environment, PATH: absoluteSearchPath(environment.PATH) },
        });
        const chunks: Buffer[] = [];
        let size = 0;
        const timer = setTimeout(() => child.kill("SIGKILL"), LIMIT_MS);
        const end = (code: number | null) => {
            clearTimeout(timer);
            resolve(code === 0 ? Buffer.concat(chunks) : undefined);
        };
        child.stdout?.on("data", (chunk: Buffer) => {
            size += chunk.length;
            if (size > MAX_IMAGE_BYTES) child.kill("SIGKILL");
            else chunks.push(chunk);
        });
        child.once("error", () => end(null));
        child.once(input === undefined ? "close" : "exit", end);
        child.stdin?.on("error", () => {}).end(input);
    });
}
