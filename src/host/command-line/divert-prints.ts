import { Console } from "node:console";
import { Writable } from "node:stream";
import { printToStderr } from "../../base/stderr.js";
import type { Log } from "../../core/log.js";

/**
 * Keeps what plugins and packages print through `console` off the screen, which the chat owns: it
 * goes to the log, once there is one. `restore` prints what could not be logged.
 */
export function divertPrints() {
    const before = globalThis.console;
    const held: string[] = [];
    let note = (text: string): void => void held.push(text);
    const stream = new Writable({
        write(chunk: Buffer, _encoding, done) {
            note(chunk.toString("utf8").trimEnd());
            done();
        },
    });
    globalThis.console = new Console(stream);
    return {
        logTo(log: Log): void {
            note = (text) => log.event("info", "printed", { text });
            for (const text of held.splice(0)) note(text);
        },
        restore(): void {
            globalThis.console = before;
            for (const text of held) printToStderr(text);
        },
    };
}
