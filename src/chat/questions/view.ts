import { findPager, page } from "../terminal/programs.js";
import { ask } from "./ask.js";
import { CANCELLED, type Answer, type Question, type QuestionPlace } from "./question.js";

/** Asks, and on `v` shows `whole`, the unfolded body: in the pager, or else in the transcript. */
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
