import { safeLine } from "../../base/safe-text.js";

/** How the user wants to be told that North waits for them. */
export type NotifySetting = "off" | "bell" | "desktop";

const BELL = "\u0007";

/**
 * What makes the terminal tell the user something: the bell, or a notification of the desktop where
 * the terminal is known to show one, else the bell too. Inside tmux it is the bell, which tmux
 * hands on and marks the window with.
 */
export function notification(
    setting: NotifySetting,
    text: string,
    { TERM = "", TERM_PROGRAM = "", VTE_VERSION }: NodeJS.ProcessEnv
): string {
    if (setting === "off") return "";
    if (setting === "bell" || TERM === "dumb" || TERM_PROGRAM === "tmux") return BELL;
    const body = safeLine(text).replaceAll(";", ",");
    if (/^(?:foot|rxvt)/.test(TERM) || VTE_VERSION) return `\u001b]777;notify;North;${body}${BELL}`;
    const hasSimple = ["iTerm.app", "WezTerm", "ghostty"].includes(TERM_PROGRAM);
    return hasSimple || TERM === "xterm-kitty" ? `\u001b]9;North: ${body}${BELL}` : BELL;
}
