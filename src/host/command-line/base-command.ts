import { Command, Errors, ux } from "@oclif/core";
import { isExpectedError } from "../../base/north-error.js";
import { showControls } from "../../base/safe-text.js";
import { northDirectories, type NorthDirectories } from "../../storage/files/directories.js";
import { parseFailure } from "./usage-error.js";

/** What all commands share: where things are, `--json`, and how failures are told. */
export abstract class BaseCommand extends Command {
    static override enableJsonFlag = true;

    protected get directories(): NorthDirectories {
        return northDirectories(process.env);
    }

    /** Where a command works. */
    protected get surroundings() {
        return { config: this.config, directories: this.directories, environment: process.env };
    }

    protected override async init(): Promise<void> {
        // A command without flags has not even an empty record of them.
        this.argv = dashedTextsLast(this.argv, { ...this.ctor.flags });
        await super.init();
    }

    /** Prints a text that may hold names and words of others: nothing in it moves a cursor or hides. */
    override log(message = ""): void {
        super.log(showControls(message));
    }

    override logToStderr(message = ""): void {
        super.logToStderr(showControls(message));
    }

    /** oclif takes JSON apart for the colours of a theme, also where there is none. */
    protected override logJson(json: unknown): void {
        ux.stdout(JSON.stringify(json, null, 2));
    }

    /** Prints what the chat has made safe, in its colours. */
    protected logStyled(text: string): void {
        super.log(text);
    }

    /** One sentence and what to do next; a bug keeps its stack, in the log. */
    protected override async catch(error: Error): Promise<unknown> {
        if (error instanceof Errors.ExitError) throw error;
        const failure = error instanceof Errors.CLIError ? parseFailure(error, this.ctor) : error;
        if (isExpectedError(failure)) {
            const { code, message, nextSteps } = failure;
            if (this.jsonEnabled()) this.logJson({ error: { code, message, nextSteps } });
            // `start` tells it on stderr.
            throw failure;
        }
        const { openLog } = await import("../../storage/files/log-file.js");
        const { keysIn } = await import("../models/connections.js");
        const log = openLog({
            stateFolder: this.directories.state,
            level: "info",
            redact: keysIn(process.env, this.directories.config),
        });
        log.event("error", "fatal", { message: error.message, stack: error.stack });
        log.close();
        tell(
            `North failed: ${error.message}\n  This is a bug. The details are in ${this.directories.state}/north.log.`
        );
        return this.exit(1);
    }
}

/** On stderr, also where `--json` keeps what a command says to itself. */
function tell(failure: string): void {
    ux.stderr(failure);
}

/** Moves each text that begins with a dash behind `--`: a word with white space is never a flag. */
function dashedTextsLast(
    argv: readonly string[],
    flags: Readonly<Record<string, Pick<Command.Flag.Any, "type" | "char">>>
): string[] {
    const options = Object.entries(flags).filter(([, { type }]) => type === "option");
    const names = new Set(options.flatMap(([name, { char }]) => [`--${name}`, `-${char}`]));
    const end = argv.includes("--") ? argv.indexOf("--") : argv.length;
    const isText = (word: string, index: number) =>
        index < end &&
        /^-.*\s/s.test(word) &&
        !/^--[\w-]+=/.test(word) &&
        !names.has(argv[index - 1] ?? "");
    const texts = argv.filter(isText);
    if (texts.length === 0) return [...argv];
    const words = argv.slice(0, end).filter((word, index) => !isText(word, index));
    return [...words, "--", ...texts, ...argv.slice(end + 1)];
}
