import { countedFiles } from "../../plugin/change-set.js";
import type { SlashCommand } from "../../plugin/index.js";
import { confirmAndApply, planOnScreen } from "./confirm-and-apply.js";
import { wrongUsage } from "./wording.js";

export const undo: SlashCommand = {
    name: "undo",
    description: "Undo the last edits, or those of the last TURNS turns. Run it again to redo.",
    usage: "/undo [TURNS]",
    takesOneWord: true,
    async run(argumentsText, context) {
        const typed = argumentsText.trim();
        if (typed !== "" && !/^[1-9]\d{0,5}$/.test(typed)) {
            throw wrongUsage(undo);
        }
        const turns = typed === "" ? undefined : Number(typed);
        const planned = await planOnScreen(context.screen, () => context.changes.planUndo(turns));
        const place = planned.isDrafted ? " in the draft" : "";
        const question = `${planned.isRedo ? "Redo" : "Undo"} these changes${place}`;
        if (!(await confirmAndApply(context.screen, question, planned))) return;
        const files = countedFiles(planned.changeSet.changes);
        const [done, next] = planned.isRedo ? ["Redid", "undoes"] : ["Undid", "redoes"];
        const { notUndone = [] } = planned;
        const left = notUndone.map((sentence) => ` ${sentence}`).join("");
        context.screen.print(
            `${done} the edits to ${files}${place}. /undo again ${next} them.${left}`
        );
    },
};
