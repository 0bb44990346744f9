import type { HiddenOutput, SlashCommand, SlashContext } from "../../plugin/index.js";
import { startingWith } from "./wording.js";
import { outputLines } from "../tools/reading/output-lines.js";

const KINDS = ["output", "diff", "result", "thinking"] as const;
/** Max completions offered; larger numbers work too. */
const MAX_OFFERED = 9;

export const expand: SlashCommand = {
    name: "expand",
    description: "Show the last shortened output in full, or the Nth last.",
    usage: "/expand [KIND] [N]",
    onlyShows: true,
    onlyInTerminal: true,
    complete(argument, context) {
        const [kind] = /^[a-z]*/.exec(argument) ?? [];
        const known = outputsOf(kind, context).slice(0, MAX_OFFERED);
        const prefix = KINDS.some((name) => name === kind) ? `${kind} ` : "";
        const kinds = KINDS.filter((name) => context.conversation.hiddenOutputs().some(isA(name)));
        return startingWith(argument, [
            ...known.map(({ title }, index) => ({
                value: `${prefix}${index + 1}`,
                description: title,
            })),
            ...(prefix === "" ? kinds : []),
        ]);
    },
    async run(argumentsText, context) {
        const pattern = /^(output|diff|result|thinking)?\s*([1-9]\d{0,4})?$/;
        const typed = pattern.exec(argumentsText.trim().toLowerCase());
        if (!typed) {
            return context.screen.print(`Usage: ${expand.usage} (kinds: ${KINDS.join(", ")})`);
        }
        const [, kind, number = "1"] = typed;
        const known = outputsOf(kind, context);
        const found = known[Number(number) - 1];
        if (found) return show(found, context);
        context.screen.print(
            known.length === 0
                ? "Nothing to expand."
                : `There ${known.length === 1 ? "is only one" : `are only ${known.length}`}.`
        );
    },
};

/** Outputs of one kind; by default those visibly cut, or all if none was. */
function outputsOf(kind: string | undefined, { conversation }: SlashContext) {
    const all = conversation.hiddenOutputs();
    if (kind) return all.filter(isA(kind));
    const cut = all.filter(({ isCut }) => isCut);
    return cut.length > 0 ? cut : all;
}

function isA(kind: string): (output: HiddenOutput) => boolean {
    return (output) => output.kind === kind;
}

async function show(output: HiddenOutput, context: SlashContext): Promise<void> {
    const content = await output.read();
    if (content.kind === "changes") return context.screen.showChanges(content.changeSet);
    const lines =
        content.kind === "text" ? content.text.trimEnd().split("\n") : outputLines(content.value);
    const { screen } = context;
    screen.print(`── ${output.title} ──`);
    const text = lines.map((line) => `    ${line}`).join("\n");
    // Thinking is prose; code and output keep every character.
    if (output.kind === "thinking") screen.print(text);
    else screen.printVerbatim(text);
}
