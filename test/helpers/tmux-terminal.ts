import { execFileSync, spawnSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";

import { PATIENCE_MS } from "./patience.js";
import { sequenceOf } from "./pseudo-terminal.js";

/** Whether tests can look at a program through tmux. */
export const hasTmux = spawnSync("tmux", ["-V"]).status === 0;

/** A program in its own tmux server, with no client attached. Close it in `afterEach`. */
export class TmuxTerminal {
    // Short: a socket's path has 104 characters at most on macOS.
    private readonly socket = path.join(tmpdir(), randomUUID().slice(0, 8));

    constructor(command: readonly string[], columns: number, rows: number) {
        const size = ["-x", String(columns), "-y", String(rows)];
        this.tmux("-f", "/dev/null", "new-session", "-d", ...size, ...command);
    }

    type(text: string): void {
        const bytes = [...Buffer.from(text)].map((byte) => byte.toString(16));
        this.tmux("send-keys", "-H", ...bytes);
    }

    press(key: string): void {
        this.type(sequenceOf(key));
    }

    resize(columns: number, rows: number): void {
        this.tmux("resize-window", "-x", String(columns), "-y", String(rows));
    }

    waitFor(text: string | RegExp): Promise<string> {
        return this.waitUntil((screen) =>
            typeof text === "string" ? screen.includes(text) : text.test(screen)
        );
    }

    waitForNo(text: string): Promise<string> {
        return this.waitUntil((screen) => !screen.includes(text));
    }

    async waitUntil(holds: (screen: string) => boolean, what = "the condition"): Promise<string> {
        const until = Date.now() + PATIENCE_MS;
        for (;;) {
            const screen = this.capture("0");
            if (holds(screen)) return screen;
            if (Date.now() > until) throw new Error(`Waited for ${what}. The screen:\n${screen}`);
            await new Promise((resolve) => setTimeout(resolve, 20));
        }
    }

    transcript(): string {
        return this.capture("-");
    }

    cursor(): { readonly row: number; readonly column: number } {
        const place = this.tmux("display-message", "-p", "#{cursor_y} #{cursor_x}").split(" ");
        return { row: Number(place[0]), column: Number(place[1]) };
    }

    close(): Promise<void> {
        spawnSync("tmux", ["-S", this.socket, "kill-server"]);
        rmSync(this.socket, { force: true });
        return Promise.resolve();
    }

    private capture(from: string): string {
        return this.tmux("capture-pane", "-p", "-S", from)
            .split("\n")
            .map((line) => line.trimEnd())
            .join("\n")
            .trimEnd();
    }

    private tmux(...args: readonly string[]): string {
        return execFileSync("tmux", ["-u", "-S", this.socket, ...args], { encoding: "utf8" });
    }
}
