import { findPager, page } from "../terminal/programs.js";
import { ask } from "./ask.js";
import { CANCELLED, type Answer, type Question, type QuestionPlace } from "./question.js";

/**
 * Asks, and shows all of what is decided when `v` is answered: in the pager, or in the transcript
 * where there is none. `whole` is the body where nothing of it is folded.
 */
export async function askAndView(
    place: QuestionPlace,
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
