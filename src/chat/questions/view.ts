import type { LiveView } from "../live-view.js";
import { findPager, page, type Lender } from "../terminal/programs.js";
import { ask } from "./ask.js";
import type { QuestionPlace } from "./question-place.js";
import { CANCELLED, type Answer, type Question } from "./question.js";

/** Where a question may show all that it is about. */
export type ViewingPlace = QuestionPlace & {
    readonly terminal: QuestionPlace["terminal"] & Lender;
    readonly view: Pick<LiveView, "printVerbatim">;
};

/**
 * Asks, and shows all of what is decided when `v` is answered: in the pager, or in the transcript
 * where there is none. `whole` is the body where nothing of it is folded.
 */
export async function askAndView(
    place: ViewingPlace,
    question: Question,
    signal: AbortSignal,
    whole: () => readonly string[]
): Promise<Answer | typeof CANCELLED> {
    let isViewed = false;
    for (;;) {
        const answer = await ask(place, { ...question, isViewed }, signal);
        if (answer === CANCELLED || answer.letter !== "v") return answer;
        const pager = await findPager(place.terminal.environment);
        const lines = [question.title, "", ...whole()];
        if (pager) await page(place.terminal, pager, `${lines.join("\n")}\n`);
        else place.view.printVerbatim(lines);
        isViewed = true;
    }
}
