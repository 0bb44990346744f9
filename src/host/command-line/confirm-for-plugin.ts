import { confirmInTerminal } from "../../chat/questions/ask-in-terminal.js";
import type { ConfirmHook } from "../../plugin/index.js";

export const confirmForPlugin: ConfirmHook = ({ question, ...confirmation }) =>
    confirmInTerminal(question, confirmation);
