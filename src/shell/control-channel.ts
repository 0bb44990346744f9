import { closeSync, constants, openSync, writeSync } from "node:fs";
import net from "node:net";
import { quote } from "./quote.js";

/** The shell's report at the end of a command. */
export interface Completion {
    readonly exitCode: number;
    /** The shell's idea of its folder; empty if it was deleted. */
    readonly folder: string;
}

interface Expected {
    readonly nonce: string;
    readonly onBegun: () => void;
    readonly onOver: (completion: Completion) => void;
}

/** The pending report of one command. */
export interface Reports {
    /** It has read the command's line whole, so that an interrupt ends all of it. */
    readonly begun: Promise<void>;
    readonly over: Promise<Completion>;
}

const READ_WRITE = constants.O_RDWR | constants.O_NONBLOCK;

/**
 * Two named pipes: lines go to the shell's standard input through one, and it reports through the
 * other, which it opens by path for each report, so that no command inherits either. A report counts
 * by a nonce that the shell reads only when the command is over.
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

    /** Reads reports with the nonce; anything else in the pipe is dropped. */
    expect(nonce: string): Reports {
        this.received = Buffer.alloc(0);
        let onBegun = () => {};
        let onOver: (completion: Completion) => void = () => {};
        const begun = new Promise<void>((resolve) => (onBegun = resolve));
        const over = new Promise<Completion>((resolve) => (onOver = resolve));
        this.expected = { nonce, onBegun, onOver };
        return { begun, over };
    }

    /** The command by which the shell reports that it begins. */
    beginCommand(nonce: string): string {
        return `\\builtin printf '%s\\0' ${nonce}.begin >|${quote(this.reportPath)}`;
    }

    /**
     * The lines that report, each a simple command by itself: an interrupt drops at most one of
     * them, and what a DEBUG trap prints goes to the terminal and not among the reports. A shell
     * that cannot report ends itself, for nobody could tell when its next command is over.
     */
    reportLines(nonce: string, between: readonly string[] = []): string[] {
        const report = `>|${quote(this.reportPath)}`;
        return [
            `\\builtin printf '%s\\0%s\\0' ${nonce} "$?" ${report} || \\builtin exit`,
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
        // After an interrupt the shell may report twice; the last folder counts.
        const folderStart = this.received.lastIndexOf(0, end - 1) + 1;
        this.expected = undefined;
        onOver({
            exitCode: Number(this.received.toString("latin1", codeStart, codeEnd)),
            folder: this.received.toString("utf8", folderStart, end).replace(/\n$/, ""),
        });
    }
}
