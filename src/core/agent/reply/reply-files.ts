import { readingAdvice } from "../reading-advice.js";
import type { Mode, ToolError } from "../../../plugin/index.js";
import { onlyReads } from "../../../plugin/modes.js";
import { isExpectedError } from "../../../base/north-error.js";
import { isProtectedPath } from "../../../plugin/protected-path.js";
import { fenceAtEnd } from "../../files/fence.js";
import { FileBlockParser, type FileBlockEvent } from "../../files/file-block-parser.js";
import { StreamedFile } from "../../files/streamed-file.js";
import type { AgentEvent } from "../events.js";
import { failureOf } from "../failure.js";
import type { Turn } from "../turn.js";

type Opened = Extract<FileBlockEvent, { type: "file-opened" }>;

export type ReplyFile =
    | {
          readonly kind: "staged";
          readonly fileId: string;
          readonly path: string;
          readonly text: StreamedFile;
      }
    | {
          readonly kind: "refused";
          readonly fileId: string;
          readonly path: string;
          readonly error: ToolError;
      };

/** Extracts files from a streaming reply and stages them. */
export class ReplyFiles {
    readonly all: ReplyFile[] = [];
    private readonly parser = new FileBlockParser((path) => this.keptFence(path));
    private current: ReplyFile | undefined;
    private linesReported = 0;
    private readonly blocks: string[] = [""];

    constructor(private readonly turn: Turn) {}

    /** The reply's text, without its files. */
    get text(): string {
        const text = this.blocks.filter((block) => block !== "").join("\n");
        return this.all.length > 0 ? text.trimEnd() : text;
    }

    get open(): ReplyFile | undefined {
        return this.current;
    }

    /** Whether staged text would have to be repeated by a retry. */
    get hasText(): boolean {
        return this.all.some((file) => file.kind === "staged" && file.text.lines > 0);
    }

    *take(text: string): Generator<AgentEvent> {
        yield* this.follow(this.parser.push(text));
    }

    *endBlock(): Generator<AgentEvent> {
        yield* this.follow(this.parser.endBlock());
        if (this.blocks.at(-1) === "") return;
        this.blocks.push("");
        yield { type: "text-finished" };
    }

    /** Ends the reply, complete or not. */
    *end(): Generator<AgentEvent> {
        yield* this.follow(this.parser.end());
    }

    private *follow(events: readonly FileBlockEvent[]): Generator<AgentEvent> {
        for (const event of events) {
            switch (event.type) {
                case "text":
                    this.blocks.splice(-1, 1, (this.blocks.at(-1) ?? "") + event.text);
                    yield { type: "text-delta", text: event.text };
                    break;
                case "file-opened":
                    this.begin(event);
                    break;
                case "file-content":
                    if (this.current?.kind === "staged") this.current.text.write(event.text);
                    break;
                case "file-closed":
                    yield* this.progress();
                    this.current = undefined;
                    break;
                default:
                    event satisfies never;
            }
        }
        yield* this.progress();
    }

    private begin(opened: Opened): void {
        const file = this.opened(opened);
        // A file that is restarted or continued in the same reply counts once.
        const index = this.all.findIndex(({ path }) => path === file.path);
        if (index >= 0) this.all.splice(index, 1);
        this.all.push(file);
        this.current = file;
        this.linesReported = -1;
    }

    private *progress(): Generator<AgentEvent> {
        if (this.current?.kind !== "staged") return;
        const { fileId, path, text } = this.current;
        if (text.lines === this.linesReported) return;
        this.linesReported = text.lines;
        yield { type: "file-progress", fileId, path, lines: text.lines };
    }

    private opened({ path: named, mode }: Opened): ReplyFile {
        const { turn } = this;
        const fileId = turn.runtime.id();
        const place = this.place(named);
        if (typeof place !== "string") {
            return { kind: "refused", fileId, path: named, error: place };
        }

        const { staging } = turn;
        const text =
            mode === "append"
                ? StreamedFile.resume(place, staging)
                : StreamedFile.begin(place, staging);
        return text
            ? { kind: "staged", fileId, path: place, text }
            : { kind: "refused", fileId, path: place, error: nothingToContinue(place) };
    }

    /** The path relative to the root, or the error that forbids writing it. */
    private place(named: string): string | ToolError {
        const { mode } = this.turn.settings;
        if (onlyReads(mode)) return notIn(mode);
        try {
            const path = this.turn.project.workspace.relative(named);
            if (path === "") return NOT_A_FILE;
            return isProtectedPath(path) ? protectedPath(path) : path;
        } catch (error) {
            if (!isExpectedError(error)) throw error;
            return failureOf(error).error;
        }
    }

    private keptFence(named: string) {
        const path = this.place(named);
        return typeof path === "string"
            ? fenceAtEnd(this.turn.staging.read(path) ?? "")
            : undefined;
    }
}

function notIn(mode: Mode): ToolError {
    return {
        code: "not-in-this-mode",
        message: `Files cannot be written in ${mode} mode, which only reads.`,
        hint: readingAdvice(mode),
    };
}

const NOT_A_FILE: ToolError = {
    code: "not-a-file",
    message: "The repository itself is not a file.",
};

function protectedPath(path: string): ToolError {
    return {
        code: "protected-path",
        message: `${path} belongs to git or to North.`,
        hint: "Files in .git and .north are never edited; leave them to the user.",
    };
}

function nothingToContinue(path: string): ToolError {
    return {
        code: "nothing-to-continue",
        message: `There is no unfinished text of ${path} to append to.`,
        hint: "Begin it without `mode`; change a file that exists with an edit tool.",
    };
}
