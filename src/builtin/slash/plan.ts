import { isExpectedError } from "../../base/north-error.js";
import type { ConversationPlan, SlashCommand, SlashContext } from "../../plugin/index.js";

const CHOICES = [
    { letter: "n", label: "not yet" },
    { letter: "y", label: "yes" },
    { letter: "d", label: "as a draft" },
    { letter: "e", label: "edit it first" },
] as const;

export const plan: SlashCommand = {
    name: "plan",
    description: "Plan a task before anything changes; alone, show the plan and its progress.",
    usage: "/plan [TASK]",
    async run(argumentsText, context) {
        const { session, conversation, screen, send } = context;
        const task = argumentsText.trim();
        if (task !== "") {
            session.mode.select("plan");
            await send({ text: task });
            const planned = conversation.plan();
            return planned?.state === "answer" ? decide(planned, context) : undefined;
        }
        const current = conversation.plan();
        if (current === undefined) {
            session.mode.select("plan");
            return screen.print(
                "Mode: plan. Your next message is planned before anything changes."
            );
        }
        // Otherwise it is right above.
        if (current.state !== "answer") screen.print(current.text);
        if (current.state !== "accepted") return decide(current, context);
        screen.print(`Progress:\n${current.todos ?? "No step has begun."}`);
    },
};

async function decide(
    { text, carryOut }: ConversationPlan,
    { screen, session, send }: SlashContext
): Promise<void> {
    let accepted = text;
    for (;;) {
        const title = accepted === text ? "Carry out this plan?" : "Carry out your version?";
        const letter = await screen.choose(title, CHOICES);
        if (letter === "y" || letter === "d") {
            session.mode.select(letter === "d" ? "draft" : "agent");
            await send(carryOut(accepted));
            return;
        }
        if (letter === "e") accepted = await editedPlan(accepted, screen);
        if (letter !== "e" || accepted.trim() === "") {
            return screen.print(
                "Not carried out. Say what to change, or use /plan to be asked again."
            );
        }
    }
}

/** As it was if the editor fails. */
async function editedPlan(text: string, screen: SlashContext["screen"]): Promise<string> {
    try {
        return await screen.edit("plan.md", text);
    } catch (error) {
        if (!isExpectedError(error)) throw error;
        screen.print([error.message, ...error.nextSteps].join(" "));
        return text;
    }
}
