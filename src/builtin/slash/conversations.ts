import { formatCosts, formatInteger, localMinute } from "../../base/format.js";
import type { ConversationInfo, SlashCommand, SlashContext } from "../../plugin/index.js";

export const conversations: SlashCommand = {
    name: "conversations",
    description: "Resume an earlier conversation of this project.",
    usage: "/conversations",
    onlyInTerminal: true,
    async run(_argumentsText, context) {
        const id = await pickConversation(context);
        if (id !== undefined) await resumeConversation(id, context);
    },
};

export async function resumeConversation(id: string, context: SlashContext): Promise<void> {
    for (const warning of await context.conversation.resume(id)) context.screen.print(warning);
    context.screen.showExchanges();
}

async function pickConversation(context: SlashContext): Promise<string | undefined> {
    const known = await listed(context);
    if (known === undefined) return undefined;
    if (known.length > 0) {
        return context.screen.pick("Resume which conversation?", known.map(toOption));
    }
    context.screen.print("This project has no other conversations.");
    return undefined;
}

/** Can take seconds for thousands of unindexed conversations; `undefined` if the user cancelled. */
function listed({ screen, conversations: stored }: SlashContext) {
    const label = "Reading conversations";
    return screen.during(label, (signal, show) =>
        stored.list({
            signal,
            progress: (read, total) =>
                show(`${label} (${formatInteger(read)} of ${formatInteger(total)})`),
            tell: (text) => screen.print(text),
        })
    );
}

function toOption({
    id,
    updatedAt,
    name,
    firstWords,
    model,
    costUsd,
    unpricedRequests,
}: ConversationInfo) {
    const words = name || firstWords || "(nothing said)";
    return {
        value: id,
        label: `${localMinute(updatedAt)}  ${words}`,
        description: `${id}, ${model}, ${formatCosts(costUsd, unpricedRequests)}`,
    };
}
