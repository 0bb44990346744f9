import { closeSync, constants, openSync } from "node:fs";
import type { IPty } from "@lydell/node-pty";

export type SessionTerminal = Awaited<ReturnType<typeof startTerminal>>;

/** Interactive for job control: a process group per command, interrupts that spare the shell. */
const LAUNCH = 'exec "$0" --noprofile --norc --noediting -i <"$1"';

export async function startTerminal(options: {
    readonly bash: string;
    readonly input: string;
    readonly folder: string;
    readonly environment: Record<string, string>;
}) {
    const { spawn } = await import("@lydell/node-pty");
    const terminal = spawn("/bin/sh", ["-c", LAUNCH, options.bash, options.input], {
        name: "dumb",
        cwd: options.folder,
        env: options.environment,
        encoding: null,
    });
    const path = deviceOf(terminal);
    // Held open: if a command replaces the shell, nobody else has the terminal open, and the
    // library would hang it up.
    let held = path === "" ? -1 : openSync(path, constants.O_RDWR | constants.O_NOCTTY);
    /** Lets the exit of a dead shell be noticed at once. */
    const letGo = () => {
        if (held >= 0) closeSync(held);
        held = -1;
    };
    // Drain prompts, job notices and writes to /dev/tty, so that no writer blocks.
    terminal.onData(() => {});
    // The exit code; 128 + n after death by signal n.
    const exit = new Promise<number>((resolve) => {
        terminal.onExit(({ exitCode, signal }) => {
            letGo();
            resolve(signal ? 128 + signal : exitCode);
        });
    });
    return { pid: terminal.pid, path, exit, letGo };
}

function deviceOf(terminal: IPty): string {
    const named = "ptsName" in terminal ? terminal.ptsName : undefined;
    return typeof named === "string" ? named : "";
}
