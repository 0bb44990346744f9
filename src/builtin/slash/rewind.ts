import { countedFiles } from "../../plugin/change-set.js";
import type { SlashCommand } from "../../plugin/index.js";
import { confirmAndApply, planOnScreen } from "./confirm-and-apply.js";
import { wrongUsage } from "./wording.js";

export const rewind: SlashCommand = {
    name: "rewind",
    description: "Go back to the end of a turn: undo later edits, and continue in a copy.",
    usage: "/rewind TURN",
    takesOneWord: true,
    onlyInTerminal: true,
    complete(argument, { changes }) {
        return changes
            .turns()
            .filter(({ turn }) => `${turn}`.startsWith(argument))
            .map(({ turn, question }) => ({ value: String(turn), description: question }));
    },
    async run(argumentsText, { changes, conversation, screen }) {
        const typed = argumentsText.trim();
        if (!/^[1-9]\d{0,5}$/.test(typed)) throw wrongUsage(rewind);
        const turn = Number(typed);
        const planned = await planOnScreen(screen, () => changes.planRewind(turn));
        if (planned) {
            if (!(await confirmAndApply(screen, "Undo these later changes", planned))) return;
            const files = countedFiles(planned.changeSet.changes);
            const left = planned.notUndone?.map((sentence) => ` ${sentence}`).join("") ?? "";
            screen.print(`Undid the later edits to ${files}.${left}`);
        }
        const before = conversation.id;
        for (const notice of await conversation.fork(turn)) screen.print(notice);
        const redo = planned ? " and /undo there redoes the edits" : "";
        screen.print(
            `Back at turn ${turn}. \`/resume ${before}\` returns to the conversation as it was${redo}.`
        );
        screen.showExchanges();
    },
};
