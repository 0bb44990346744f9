import { Command, Errors, ux } from "@oclif/core";
import { isExpectedError, type NorthError } from "../../base/north-error.js";
import { typeable } from "../../base/north-command.js";
import { safeJson, showControls } from "../../base/safe-text.js";
import { printToStderr } from "../../base/stderr.js";
import { northDirectories, type NorthDirectories } from "../../storage/files/directories.js";
import type { Asking } from "../operations/undo-conversation.js";
import { parseFailure } from "./usage-error.js";

/** What all commands share: folders, `--json`, and error output. */
export abstract class BaseCommand extends Command {
    static override enableJsonFlag = true;

    protected get directories(): NorthDirectories {
        return northDirectories(process.env);
    }

    protected get surroundings() {
        return { config: this.config, directories: this.directories, environment: process.env };
    }

    protected override async init(): Promise<void> {
        // `flags` is undefined for a command without flags.
        this.argv = dashedTextsLast(this.argv, { ...this.ctor.flags });
        await super.init();
    }

    /** Makes control characters visible: the text may contain untrusted names. */
    override log(message = ""): void {
        super.log(showControls(message));
    }

    override logToStderr(message = ""): void {
        super.logToStderr(showControls(typeable(message)));
    }

    /** oclif tokenizes JSON for theme colours, even without a theme. */
    protected override logJson(json: unknown): void {
        ux.stdout(safeJson(json, 2));
    }

    /** Prints text that is already safe, and keeps its colours. */
    protected logStyled(text: string): void {
        super.log(text);
    }

    /** How the command asks about changes; with `force` it only shows them. */
    protected asking(force: boolean): Asking {
        return { force, print: (text) => this.logStyled(text) };
    }

    /** `start` prints what it throws on stderr. */
    protected async fail(failure: NorthError): Promise<void> {
        const { code, message, nextSteps } = failure;
        if (this.jsonEnabled()) this.logJson({ error: { code, message, nextSteps } });
        throw failure;
    }

    /** Prints one sentence and the next steps. A bug keeps its stack, in the log. */
    protected override async catch(error: Error): Promise<unknown> {
        if (error instanceof Errors.ExitError) throw error;
        const failure = error instanceof Errors.CLIError ? parseFailure(error, this.ctor) : error;
        if (isExpectedError(failure)) return this.fail(failure);
        const { openLog } = await import("../../storage/files/log-file.js");
        const { keysIn } = await import("../models/connections.js");
        const log = openLog({
            stateFolder: this.directories.state,
            level: "info",
            redact: keysIn(process.env, this.directories.config),
        });
        log.event("error", "fatal", { message: error.message, stack: error.stack });
        log.close();
        // Also with `--json`, where `logToStderr` prints nothing.
        printToStderr(
            `North failed: ${error.message}\n  This is a bug. The details are in ${this.directories.state}/north.log.`
        );
        return this.exit(1);
    }
}

/** Moves texts that start with a dash behind `--`. A word with white space is never a flag. */
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
