import { closeSync, constants, openSync, writeSync } from "node:fs";
import net from "node:net";
import { quote } from "../base/shell-quote.js";

export interface CommandEnd {
    readonly exitCode: number;
    /** The shell's working folder; empty if it was deleted. */
    readonly folder: string;
}

interface Expected {
    readonly nonce: string;
    readonly onBegun: () => void;
    readonly onOver: (end: CommandEnd) => void;
}

interface Reports {
    /** The shell has read the whole command line, so that an interrupt stops all of it. */
    readonly begun: Promise<void>;
    readonly over: Promise<CommandEnd>;
}

const READ_WRITE = constants.O_RDWR | constants.O_NONBLOCK;

/**
 * Two pipes: one feeds the shell's standard input, the other carries its reports. The shell
 * opens the latter by path for each report, so that no command inherits either. Reports carry a
 * nonce that the shell reads only after the command.
 */
export class ControlChannel {
    private readonly input: number;
    private readonly reports: net.Socket;
    private received = Buffer.alloc(0);
    private expected: Expected | undefined;

    constructor(
        inputPath: string,
        private readonly reportPath: string
    ) {
        this.input = openSync(inputPath, READ_WRITE);
        const descriptor = openSync(reportPath, READ_WRITE);
        this.reports = new net.Socket({ fd: descriptor, readable: true, writable: false });
        this.reports.on("data", (bytes: Buffer) => this.receive(bytes));
        this.reports.on("error", () => this.reports.destroy());
    }

    send(lines: readonly string[]): void {
        writeSync(this.input, lines.map((line) => `${line}\n`).join(""));
    }

    /** Waits for reports with this nonce; drops anything else in the pipe. */
    expect(nonce: string): Reports {
        this.received = Buffer.alloc(0);
        let onBegun = () => {};
        let onOver: (end: CommandEnd) => void = () => {};
        const begun = new Promise<void>((resolve) => (onBegun = resolve));
        const over = new Promise<CommandEnd>((resolve) => (onOver = resolve));
        this.expected = { nonce, onBegun, onOver };
        return { begun, over };
    }

    beginCommand(nonce: string): string {
        return `\\builtin printf '%s\\0' ${nonce}.begin >|${quote(this.reportPath)}`;
    }

    /** Returns the command that reports the exit code; the first report counts. */
    reportCode(nonce: string): string {
        return `\\builtin printf '%s\\0%s\\0' ${nonce} "$?" >|${quote(this.reportPath)}`;
    }

    /**
     * Returns the lines that report the end, each a simple command: an interrupt drops at most one,
     * and DEBUG trap output goes to the terminal, not into the report. A shell that cannot report
     * exits, since nobody could tell when its next command ends.
     */
    reportLines(nonce: string, between: readonly string[] = []): string[] {
        const report = `>|${quote(this.reportPath)}`;
        return [
            `${this.reportCode(nonce)} || \\builtin exit`,
            ...between,
            `\\builtin pwd -P ${report} || \\builtin true`,
            `\\builtin printf '%s\\0' ${nonce}.end ${report} || \\builtin exit`,
        ];
    }

    close(): void {
        this.reports.destroy();
        closeSync(this.input);
    }

    private receive(bytes: Buffer): void {
        if (!this.expected) return;
        this.received = Buffer.concat([this.received, bytes]);
        const { nonce, onBegun, onOver } = this.expected;
        if (this.received.includes(`${nonce}.begin\0`)) onBegun();
        const end = this.received.indexOf(`${nonce}.end\0`);
        const start = this.received.indexOf(`${nonce}\0`);
        if (end < 0 || start < 0) return;
        const codeStart = start + nonce.length + 1;
        const codeEnd = this.received.indexOf(0, codeStart);
        // After an interrupt the shell may report twice; the last folder wins.
        const folderStart = this.received.lastIndexOf(0, end - 1) + 1;
        this.expected = undefined;
        onOver({
            exitCode: Number(this.received.toString("latin1", codeStart, codeEnd)),
            folder: this.received.toString("utf8", folderStart, end).replace(/\n$/, ""),
        });
    }
}
