import { Chat } from "./chat.js";
import type { ChatOptions } from "./chat-options.js";
import { InputArea } from "./input-area.js";
import { Terminal } from "./terminal/terminal.js";

/**
 * Runs the chat; resolves with how it ended. Restores the terminal on every exit and leaves the
 * session open. Rejects with `not-a-terminal` if there is none, or with the error of `open`.
 */
export async function runChat(options: ChatOptions): Promise<"quit" | "interrupted"> {
    const { signal, open } = options;
    const terminal = new Terminal(options);
    terminal.open();
    const area = new InputArea(terminal);
    const ended = AbortSignal.any(signal ? [signal, terminal.gone] : [terminal.gone]);
    try {
        area.open();
        const opened = await area.waitFor(open(), ended);
        if (opened) await new Chat(area, { ...options, ...opened }, ended).run();
        return ended.aborted ? "interrupted" : "quit";
    } finally {
        area.close();
        terminal.close();
    }
}
