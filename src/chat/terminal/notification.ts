import { safeLine } from "../../base/safe-text.js";

export type NotifySetting = "off" | "bell" | "desktop";

const BELL = "\u0007";

/** A desktop notification on terminals known to support it, else the bell, which tmux passes on. */
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
