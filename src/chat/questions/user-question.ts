import { showControls, visibleLine } from "../../base/safe-text.js";
import type { UserQuestion } from "../../plugin/index.js";
import { ask } from "./ask.js";
import { bodyOf } from "./excerpt.js";
import { askLine } from "./line-question.js";
import { CANCELLED, type Choice, type Prompt } from "./question.js";

/** Longer titles move to the body. */
const MAX_TITLE_LENGTH = 160;
const NOTHING: Choice = { letter: "n", label: "no answer" };
const OWN: Choice = { letter: "o", label: "your own answer" };

/** Asks no approval. `undefined` if unanswered, `CANCELLED` on Ctrl+C or abort. */
export async function askUserQuestion(
    prompt: Prompt,
    { title, choices = [], allowText = false }: UserQuestion,
    signal: AbortSignal
): Promise<string | undefined | typeof CANCELLED> {
    const { theme } = prompt.terminal;
    const line = visibleLine(title);
    const isLong = line.length > MAX_TITLE_LENGTH;
    const shown = isLong ? "Your answer?" : line;
    const labels = choices.map((choice, index) => ({
        letter: String(index + 1),
        label: visibleLine(choice),
    }));
    const answer = await ask(
        prompt,
        {
            title: shown,
            body: isLong ? bodyOf(showControls(title), theme.strong) : [],
            choices: [NOTHING, ...labels, ...(allowText || choices.length === 0 ? [OWN] : [])],
        },
        signal
    );
    if (answer === CANCELLED) return CANCELLED;
    if (answer.letter !== OWN.letter) return choices[Number(answer.letter) - 1];
    const typed = await askLine(prompt, shown, signal);
    if (typed === undefined) return CANCELLED;
    return typed === "" ? undefined : typed;
}
