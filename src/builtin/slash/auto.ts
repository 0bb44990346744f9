import type { SlashCommand, SlashContext } from "../../plugin/index.js";
import { startingWith, wrongUsage } from "./wording.js";

const SUBJECTS = [
    { subject: "edits", name: "editsAutoAccept", verb: "Apply all edits" },
    { subject: "commands", name: "shellAutoApprove", verb: "Run all commands" },
] as const;

type ApprovalKind = (typeof SUBJECTS)[number];

const APPROVAL_KINDS = [
    ...["edits", "commands", "edits --always", "commands --always"],
    ...["off", "edits off", "commands off"],
];

const RISK = [
    "Anything that misleads the model, such as a web page or a file, can then run commands as you.",
    "Allowing single commands (`a` at the question) is safer.",
];

export const auto: SlashCommand = {
    name: "auto",
    description: "Show or change which approvals are automatic.",
    usage: "/auto [edits|commands [--always]] | [edits|commands] off",
    complete: (argument) => startingWith(argument, APPROVAL_KINDS),
    async run(argumentsText, context) {
        const typed = argumentsText.trim().toLowerCase().replace(/\s+/g, " ");
        const parts = /^(?:(edits|commands) ?)?(--always|off)?$/.exec(typed);
        const [subject, option] = [parts?.[1], parts?.[2]];
        const isOdd = option === "--always" && subject === undefined;
        if (!parts || isOdd) throw wrongUsage(auto);
        const chosen = SUBJECTS.find((each) => each.subject === subject);
        if (option === "off") await turnOff(chosen ? [chosen] : SUBJECTS, context);
        else if (chosen) await turnOn(chosen, option, context);
        await show(context);
    },
};

async function turnOn(
    { subject, name, verb }: ApprovalKind,
    option: string | undefined,
    context: SlashContext
): Promise<void> {
    const isLasting = option === "--always";
    const extent = isLasting ? "in this project from now on" : "until you quit";
    const details = subject === "commands" ? RISK : [];
    const isWanted = await context.screen.confirm(`${verb} without asking, ${extent}?`, {
        details,
        always: isLasting,
        lasts: subject === "commands",
    });
    if (!isWanted) return;
    if (isLasting) await context.permissions.approvals.setAutomatic({ [name]: true });
    else context.permissions.approvals.setAutomaticThisRun({ [name]: true });
}

async function turnOff(
    subjects: readonly ApprovalKind[],
    { permissions: { approvals } }: SlashContext
): Promise<void> {
    for (const { name } of subjects) {
        approvals.setAutomaticThisRun({ [name]: false });
        await approvals.setAutomatic({ [name]: false });
    }
}

async function show({ permissions, screen }: SlashContext): Promise<void> {
    const { approvals } = permissions;
    const always = await approvals.automatic();
    const thisRun = approvals.automaticThisRun();
    const lines = SUBJECTS.map(({ subject, name }) => {
        const until = always[name] ? "in this project" : "until you quit";
        const isOn = always[name] || thisRun[name];
        return `  ${subject}: ${isOn ? `automatic ${until} (/auto ${subject} off)` : "ask"}`;
    });
    screen.print(["Approvals:", ...lines].join("\n"));
}
