import type { Option } from "../../plugin/index.js";
import { askLine } from "./line-question.js";
import type { LiveView } from "../live-view.js";
import type { QuestionPlace } from "./question-place.js";
import { matching, toChoice } from "./pick.js";
import { counted } from "../../base/format.js";
import { safeLine } from "../../base/safe-text.js";

const MOST_SHOWN = 30;

/** Lets the user choose one option by its number or by words that only it has. */
export async function pickByNumber(
    title: string,
    options: readonly Option[],
    place: QuestionPlace & { readonly view: Pick<LiveView, "printVerbatim"> },
    signal: AbortSignal
): Promise<string | undefined> {
    let choices: readonly ReturnType<typeof toChoice>[] = options.map(toChoice);
    while (choices.length > 0) {
        const lines = choices
            .slice(0, MOST_SHOWN)
            .map(({ name }, index) => `  ${index + 1} ${name}`);
        const hidden = choices.length - lines.length;
        const more = hidden > 0 ? [`  … and ${counted(hidden, "other")}`] : [];
        place.view.printVerbatim([safeLine(title), ...lines, ...more]);
        await place.terminal.keyboard.drain();
        const answer = await askLine(place, "Number or words (Enter for none):", signal);
        if (answer === undefined || answer === "") return undefined;
        const numbered = /^\d+$/.test(answer) ? choices[Number(answer) - 1] : undefined;
        const found = matching(choices, answer);
        const [chosen] = numbered ? [numbered] : found.length === 1 ? found : [];
        if (chosen) return chosen.value;
        choices = found.length > 0 ? found : choices;
    }
    return undefined;
}
