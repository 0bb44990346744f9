import { counted } from "../../base/format.js";
import { NorthError } from "../../base/north-error.js";
import type { SlashCommand } from "../../plugin/index.js";
import { wrongUsage } from "./wording.js";

export const copy: SlashCommand = {
    name: "copy",
    description: "Copy the last answer, or its code block N, to the clipboard.",
    usage: "/copy [N]",
    takesOneWord: true,
    onlyShows: true,
    onlyInTerminal: true,
    async run(argumentsText, context) {
        const answer = context.conversation.lastAnswer().trim();
        if (answer === "") {
            throw new NorthError("nothing-said", "There is no answer to copy yet.", [
                "Send a message first.",
            ]);
        }
        const wanted = argumentsText.trim();
        if (wanted === "") {
            await context.screen.copy(answer);
            context.screen.print(
                `Copied the answer (${counted(answer.split("\n").length, "line")}).`
            );
            return;
        }
        if (!/^\d+$/.test(wanted)) throw wrongUsage(copy);
        const blocks = codeBlocksIn(answer);
        const block = blocks[Number(wanted) - 1];
        if (block === undefined) {
            const held = blocks.length === 0 ? "no code" : counted(blocks.length, "code block");
            throw new NorthError("no-such-block", `There is no code block ${wanted}.`, [
                `The last answer has ${held}.`,
            ]);
        }
        await context.screen.copy(block);
        context.screen.print(`Copied code block ${wanted} of ${blocks.length}.`);
    },
};

function codeBlocksIn(markdown: string): readonly string[] {
    const blocks: string[][] = [];
    let fence: { readonly marks: string; readonly indent: number } | undefined;
    for (const line of markdown.split("\n")) {
        const [, indent = "", marks = "", info = ""] =
            /^(\s*)(`{3,}|~{3,})([^`~].*)?$/.exec(line) ?? [];
        const closes = fence && marks.startsWith(fence.marks) && info.trim() === "";
        if (closes) {
            fence = undefined;
        } else if (fence) {
            blocks.at(-1)?.push(line.slice(Math.min(fence.indent, line.search(/\S|$/))));
        } else if (marks !== "") {
            fence = { marks, indent: indent.length };
            blocks.push([]);
        }
    }
    return blocks.map((lines) => lines.join("\n"));
}
