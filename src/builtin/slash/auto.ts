import type { AutomaticApprovals, SlashCommand, SlashContext } from "../../plugin/index.js";

const USAGE = "/auto [edits off|shell off|off]";

const REVOCATIONS: Readonly<Record<string, Partial<AutomaticApprovals>>> = {
    off: { editsAutoAccept: false, shellAutoApprove: false },
    "edits off": { editsAutoAccept: false },
    "shell off": { shellAutoApprove: false },
};

/** `/auto`: what is approved without asking, and how to take that back. */
export const auto: SlashCommand = {
    name: "auto",
    description: "Show what is approved without asking in this project, or revoke it.",
    usage: USAGE,
    complete(argument) {
        return Object.keys(REVOCATIONS)
            .filter((value) => value.startsWith(argument))
            .map((value) => ({ value }));
    },
    async run(argumentsText, context) {
        const what = argumentsText.trim().toLowerCase().replace(/\s+/g, " ");
        const change = REVOCATIONS[what];
        if (what !== "" && !change) return context.print(`Usage: ${USAGE}`);
        if (change) await context.approvals.setAutomatic(change);
        await show(context);
    },
};

async function show(context: SlashContext): Promise<void> {
    const { editsAutoAccept, shellAutoApprove } = await context.approvals.automatic();
    const lines = [
        `  edits: ${editsAutoAccept ? "accepted without asking (/auto edits off)" : "reviewed"}`,
        `  commands: ${shellAutoApprove ? "all run without asking (/auto shell off)" : "reviewed"}`,
    ];
    context.print(["Automatic approvals in this project:", ...lines].join("\n"));
}
