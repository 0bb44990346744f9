import type { SlashCommand } from "../../plugin/index.js";
import { quit } from "./quit.js";

/** `/exit`: the same as `/quit`, for hands that are used to it. */
export const exit: SlashCommand = { ...quit, name: "exit", usage: "/exit" };
