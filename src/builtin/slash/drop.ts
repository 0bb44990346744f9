import { countedFiles } from "../../plugin/change-set.js";
import type { SlashCommand } from "../../plugin/index.js";
import { confirmAndApply, planOnScreen } from "./confirm-and-apply.js";
import { wrongUsage } from "./wording.js";

export const drop: SlashCommand = {
    name: "drop",
    description: "Undo the edits of one turn and keep later ones; /turns lists them.",
    usage: "/drop TURN",
    takesOneWord: true,
    complete(argument, context) {
        return context.changes
            .turns()
            .filter(({ turn, inEffect }) => inEffect !== "none" && `${turn}`.startsWith(argument))
            .map(({ turn, question }) => ({ value: String(turn), description: question }));
    },
    async run(argumentsText, context) {
        const typed = argumentsText.trim();
        if (!/^[1-9]\d{0,5}$/.test(typed)) throw wrongUsage(drop);
        const plan = await planOnScreen(context.screen, () =>
            context.changes.planDrop(Number(typed))
        );
        if (plan.kind === "conflicts") {
            context.screen.print("Later work changed the same lines. Nothing was written.");
            return context.screen.printVerbatim(plan.conflicts.map(({ text }) => text).join("\n"));
        }
        const { planned } = plan;
        if (!(await confirmAndApply(context.screen, "Drop these edits", planned))) return;
        const files = countedFiles(planned.changeSet.changes);
        context.screen.print(
            `Dropped the edits of turn ${typed} from ${files}${planned.isDrafted ? " of the draft" : ""}. /undo reverses it.`
        );
    },
};
