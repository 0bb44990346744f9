import { PassThrough } from "node:stream";

import { Composer } from "../../src/chat/composer/composer.js";
import { LiveView } from "../../src/chat/live-view.js";
import type { Clock } from "../../src/chat/questions/deliberate-keys.js";
import { Keyboard, nextPolls } from "../../src/chat/terminal/keyboard.js";
import { Screen } from "../../src/chat/terminal/screen.js";
import { createTheme } from "../../src/chat/terminal/theme.js";

/** A clock advanced by hand. */
export interface ManualClock extends Clock {
    advance(milliseconds: number): void;
}

export function manualClock(): ManualClock {
    let time = 0;
    let waiting: { at: number; callback: () => void }[] = [];
    return {
        now: () => time,
        wait(milliseconds, callback) {
            const entry = { at: time + milliseconds, callback };
            waiting.push(entry);
            return () => (waiting = waiting.filter((one) => one !== entry));
        },
        advance(milliseconds) {
            const until = time + milliseconds;
            for (const entry of [...waiting].sort((a, b) => a.at - b.at)) {
                if (entry.at > until || !waiting.includes(entry)) continue;
                waiting = waiting.filter((one) => one !== entry);
                time = entry.at;
                entry.callback();
            }
            time = until;
        },
    };
}

/**
 * The parts of a chat that questions need, with keys from a stream and a clock advanced by hand.
 */
export function openQuestionTerminal(
    write: (data: string) => void = () => {},
    size = { columns: 80, rows: 24 }
) {
    const clock = manualClock();
    const input = new PassThrough();
    const keyboard = new Keyboard(
        input as PassThrough & NodeJS.ReadStream,
        () => false,
        () => clock.now()
    );
    keyboard.start();
    const output = {
        ...size,
        write: (data: string, done?: unknown) => {
            write(data);
            if (typeof done === "function") done();
            return true;
        },
    };
    const theme = createTheme(0);
    const screen = new Screen(output);
    const submitted: string[] = [];
    const nothing = (): void => {};
    const composer = new Composer(
        {
            submit: (text) => void submitted.push(text),
            interrupt: nothing,
            recallQueued: () => false,
            quit: nothing,
            toggleMode: nothing,
            clearScreen: nothing,
            pasteImage: nothing,
            openEditor: nothing,
            changed: nothing,
        },
        []
    );
    composer.isBusy = true;
    const view = new LiveView(screen, theme, composer);
    screen.resume();
    keyboard.take((key) => composer.handleKey(key));
    const terminal = {
        keyboard,
        screen,
        theme,
        isLineTerminal: false,
        environment: { PAGER: "" },
        lend: () => Promise.reject(new Error("Nothing is lent.")),
    };
    return {
        clock,
        place: { terminal, view, clock },
        screen,
        output,
        submitted,
        composer,
        /** Types; resolves once it was read. */
        async press(text: string): Promise<void> {
            input.write(text);
            await nextPolls();
        },
        close: () => {
            keyboard.stop();
            screen.suspend();
        },
    };
}
