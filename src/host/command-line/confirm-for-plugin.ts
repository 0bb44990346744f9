import { confirmInTerminal } from "../../chat/questions/ask-in-terminal.js";
import type { ConfirmHook } from "../../plugin/index.js";

export const confirmForPlugin: ConfirmHook = ({ question, flag, ...confirmation }) => {
    const { stdin: input, stdout: output } = process;
    return confirmInTerminal(question, { input, output }, { ...confirmation, flag });
};
