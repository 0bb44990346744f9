import { confirmInTerminal } from "../../chat/questions/ask-in-terminal.js";
import type { ConfirmHook } from "../../plugin/index.js";

/** The question of a plugin's own command. */
export const confirmForPlugin: ConfirmHook = ({ question, flag, ...confirmation }) => {
    const { stdin: input, stdout: output } = process;
    return confirmInTerminal(question, { input, output }, { ...confirmation, flag });
};
