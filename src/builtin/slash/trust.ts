import type { SlashCommand, SlashContext, UnconfirmedGrant } from "../../plugin/index.js";

/** Max length inside the question; longer text goes below it, folded if it exceeds the screen. */
const MAX_TITLE_LENGTH = 100;

export const trust: SlashCommand = {
    name: "trust",
    description:
        "Review permissions and notes that came with the repository, and list allowed hosts.",
    usage: "/trust",
    async run(_argumentsText, context) {
        const unconfirmed = await context.permissions.trust.list();
        const keys = await context.permissions.approvals.allowedKeys();
        if (keys.length > 0) {
            const lines = ["You allowed these; `/allowlist remove KEY` removes one:", ...keys];
            context.screen.print(lines.join("\n  "));
        }
        if (unconfirmed.length === 0) {
            return context.screen.print("Nothing in this repository needs your permission.");
        }
        context.screen.print(
            "These came with the repository. They do nothing until you allow them."
        );
        for (const [index, grant] of unconfirmed.entries()) {
            const isWanted = await ask(grant, `${index + 1} of ${unconfirmed.length}`, context);
            if (isWanted === undefined) return;
            await (isWanted
                ? context.permissions.trust.allow(grant)
                : context.permissions.trust.decline(grant));
        }
    },
};

function ask(
    { path, text, isDeclined }: UnconfirmedGrant,
    location: string,
    context: SlashContext
): Promise<boolean | undefined> {
    const isShort = text.length <= MAX_TITLE_LENGTH && !text.includes("\n");
    const source = `${path}, ${location}${isDeclined ? ", denied before" : ""}`;
    const question = isShort ? `Allow: ${text} (${source})?` : `Allow this (${source})?`;
    return context.screen.confirm(question, { details: isShort ? [] : [text], always: true });
}
