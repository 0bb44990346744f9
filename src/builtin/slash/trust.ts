import { counted } from "../../base/format.js";
import type { SlashCommand, SlashContext, UnconfirmedGrant } from "../../plugin/index.js";

/** What is longer cannot be judged on a screen, and is not offered. */
const LONGEST = 1_000;

/** `/trust`: what the repository brings along, one by one. */
export const trust: SlashCommand = {
    name: "trust",
    description: "Decide about permissions and notes that came with the repository.",
    usage: "/trust",
    async run(_argumentsText, context) {
        const brought = await context.trust.list();
        if (brought.length === 0) {
            return context.print("The repository brings nothing that needs to be allowed.");
        }
        for (const [index, grant] of brought.entries()) {
            context.print(`${index + 1} of ${brought.length}: ${grant.text}`);
            context.print(reasonOf(grant));
            if (!(await decide(grant, context))) return;
        }
    },
};

function reasonOf({ path, isDeclined }: UnconfirmedGrant): string {
    const verdict = isDeclined
        ? "You said no to it before."
        : "It does nothing until you allow it.";
    return `${path} says so, and North did not write that in this clone. ${verdict}`;
}

/** Resolves with whether the user wants to see the next one. */
async function decide(grant: UnconfirmedGrant, context: SlashContext): Promise<boolean> {
    const isTooLong = grant.text.length > LONGEST;
    if (isTooLong) {
        context.print(`It has ${counted(grant.text.length, "character")}: too long to allow here.`);
    }
    const answer = await context.pick("What shall it do?", [
        { value: "later", label: "Decide later" },
        { value: "decline", label: "No, and do not mention it again" },
        ...(isTooLong ? [] : [{ value: "allow", label: "Allow it in this clone" }]),
    ]);
    if (answer === "allow") await context.trust.allow(grant);
    if (answer === "decline") await context.trust.decline(grant);
    return answer !== undefined;
}
