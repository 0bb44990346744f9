import { execFile } from "node:child_process";
import { constants, openSync, writeFileSync } from "node:fs";
import net from "node:net";
import path from "node:path";
import { promisify } from "node:util";
import { NorthError } from "../../../base/north-error.js";
import { visibleLine } from "../../../base/safe-text.js";
import { messageOf } from "../../../base/system-error.js";
import type { ContainedProcess, StartContained } from "../../../plugin/contained-process.js";
import type { ContainedRequest, ContainedRun, Containment } from "../containment.js";
import { SYSTEM_PATH } from "../containment.js";
import { EXCHANGE_PATH } from "./layers.js";

const INPUT = "input";
const SHOWS = "shows";
const MAX_UNREAD = 32 * 1024 ** 2;
/** The longest that a timer can wait. */
const UNTIL_STOPPED_MS = 2 ** 31 - 1;
const MAX_WORDS = 2_000;
const STOPPED = "it was stopped";

/**
 * Writes what the program must see through its own mounts: an overlay does not show reliably what
 * changes beneath it. Each file of changes has a path, `=` or `-`, and a content for each.
 */
const WRITER = String.raw`
{
    LC_ALL=C
    while IFS= \builtin read -r -d '' NORTH_SHOW; do
        while IFS= \builtin read -r -d '' NORTH_FILE && IFS= \builtin read -r -d '' NORTH_KIND &&
            IFS= \builtin read -r -d '' NORTH_TEXT; do
            [[ $NORTH_KIND == - || -L $NORTH_FILE || -d $NORTH_FILE ]] && \command rm -rf -- "$NORTH_FILE"
            [[ $NORTH_KIND == - ]] && continue
            [[ -d ${"$"}{NORTH_FILE%/*} ]] || \command mkdir -p -- "${"$"}{NORTH_FILE%/*}"
            \builtin printf %s "$NORTH_TEXT" >|"$NORTH_FILE"
        done <"${EXCHANGE_PATH}/$NORTH_SHOW"
        \builtin printf '\036shown %s\n' "$NORTH_SHOW" >&2
        \command rm -f -- "${EXCHANGE_PATH}/$NORTH_SHOW"
    done <${EXCHANGE_PATH}/${SHOWS} >/dev/null
} &
`;

/** See `StartContained`. */
export function startProcess(
    containment: Containment,
    command: string,
    place: Pick<ContainedRequest, "state" | "view">,
    { onOutput }: Parameters<StartContained>[1]
): Promise<ContainedProcess> {
    const stop = new AbortController();
    const words = new LastWords();
    return new Promise((resolve, reject) => {
        const run = containment.run({
            command: `${WRITER}{ ${command}\n} <${EXCHANGE_PATH}/${INPUT}`,
            ...place,
            owner: "run",
            timeoutMs: UNTIL_STOPPED_MS,
            signal: stop.signal,
            onOutput: ({ stream, text }) => {
                if (stream === "stdout") onOutput(text);
                else words.add(text);
            },
            prepare: async (folder) => {
                const ended = run.then(
                    (ending) => reasonOf(ending, words.last),
                    // What was killed may be half gone when its effects are read.
                    (error: unknown) => (stop.signal.aborted ? STOPPED : messageOf(error))
                );
                resolve(
                    new RunningProcess({ folder, words, ended, stop, ...(await openPipes(folder)) })
                );
            },
        });
        run.catch(reject);
    });
}

interface Parts {
    /** Shared with the program. */
    readonly folder: string;
    readonly words: LastWords;
    readonly input: net.Socket;
    readonly shows: net.Socket;
    readonly ended: Promise<string>;
    readonly stop: AbortController;
}

class RunningProcess implements ContainedProcess {
    readonly ended: Promise<string>;
    private readonly waiting = new Map<string, (reason?: string) => void>();
    private shown = 0;
    private reason: string | undefined;

    constructor(private readonly parts: Parts) {
        this.ended = parts.ended;
        parts.words.onShown = (name) => this.waiting.get(name)?.();
        void parts.ended.then((reason) => {
            this.reason = reason;
            for (const pipe of [parts.input, parts.shows]) pipe.destroy();
            for (const settle of this.waiting.values()) settle(reason);
        });
    }

    stop(): void {
        this.parts.stop.abort();
    }

    write(bytes: Uint8Array): void {
        const { input } = this.parts;
        if (!input.destroyed) input.write(bytes);
        if (input.writableLength > MAX_UNREAD) this.stop();
    }

    async show(files: ReadonlyMap<string, Uint8Array | null>): Promise<void> {
        const changes = Buffer.concat([...files].flatMap((file) => recordsOf(...file)));
        const name = `show-${(this.shown += 1)}`;
        if (this.reason === undefined) {
            // Whatever the program has put there: a new file, or an error.
            writeFileSync(path.join(this.parts.folder, name), changes, { mode: 0o600, flag: "wx" });
        }
        const reason = await new Promise<string | undefined>((resolve) => {
            this.waiting.set(name, resolve);
            if (this.reason === undefined) this.parts.shows.write(`${name}\0`);
            else resolve(this.reason);
        });
        this.waiting.delete(name);
        if (reason !== undefined) {
            throw new NorthError("process-ended", `The contained program is gone: ${reason}.`);
        }
    }
}

function recordsOf(file: string, content: Uint8Array | null): Buffer[] {
    if (content?.includes(0)) {
        throw new NorthError("invalid-content", `${file} has NUL bytes, so it cannot be shown.`);
    }
    const texts = [`./${file}`, content === null ? "-" : "=", content ?? ""];
    return texts.flatMap((text) => [Buffer.from(text), Buffer.of(0)]);
}

/** Opened before the program starts, and for both directions, so that nobody has to wait for it. */
async function openPipes(folder: string): Promise<Pick<Parts, "input" | "shows">> {
    const paths = [INPUT, SHOWS].map((name) => path.join(folder, name));
    // Node has no mkfifo.
    const env = { PATH: SYSTEM_PATH };
    await promisify(execFile)("mkfifo", ["-m", "600", ...paths], { env });
    const [input, shows] = paths.map((location) => {
        const fd = openSync(location, constants.O_RDWR | constants.O_NONBLOCK);
        const pipe = new net.Socket({ fd, readable: false, writable: true });
        pipe.on("error", () => pipe.destroy());
        return pipe;
    }) as [net.Socket, net.Socket];
    return { input, shows };
}

/** Its standard error: what the writer reports, and the program's last words. */
class LastWords {
    onShown: (name: string) => void = () => {};
    private text = "";

    add(text: string): void {
        this.text += text;
        const reports = /\u001eshown (show-\d+)\n/g;
        for (const [, name = ""] of this.text.matchAll(reports)) this.onShown(name);
        this.text = this.text.replace(reports, "").slice(-MAX_WORDS);
    }

    get last(): string {
        return visibleLine(this.text.trim().split("\n").at(-1) ?? "").slice(0, 200);
    }
}

function reasonOf({ outcome, refusal }: ContainedRun, words: string): string {
    if (outcome.cancelled) return STOPPED;
    if (refusal) return refusal.text;
    return `it exited with ${outcome.exitCode}${words === "" ? "" : `: ${words}`}`;
}
