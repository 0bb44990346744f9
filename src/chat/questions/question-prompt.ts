import { createPrompt, isEnterKey, useKeypress, useState } from "@inquirer/core";

import type { Choice } from "./question.js";
import type { QuestionState, ShownQuestion } from "./question-rows.js";

/** What the prompt needs from what draws it. */
export interface PromptConfig {
    show(state: QuestionState): void;
    /** The question as it was drawn last. */
    shown(): Pick<ShownQuestion, "offered" | "selected">;
    /** Told at once when a choice is taken; the promise resolves later. */
    settled(): void;
}

/**
 * Resolves with the letter of a choice. It draws nothing by itself: what it would write is wrong
 * after the terminal has changed its size, and its caller has a screen that is not.
 */
export const questionPrompt = createPrompt<string, PromptConfig>((config, done) => {
    const [state, setState] = useState<QuestionState>({});
    const [isDone, setDone] = useState(false);
    useKeypress((event) => {
        if (isDone) return;
        const take = ({ letter }: Choice): void => {
            setDone(true);
            config.settled();
            done(letter);
        };
        const { offered, selected } = config.shown();
        const at = offered.indexOf(selected);
        if (isEnterKey(event)) return take(selected);
        if (event.name === "up" || event.name === "down") {
            const step = event.name === "down" ? 1 : offered.length - 1;
            return setState({ selected: offered[(at + step) % offered.length]?.letter });
        }
        if (event.ctrl) return setState({});
        const letter = "shift" in event && event.shift ? event.name.toUpperCase() : event.name;
        const choice = offered.find((offer) => offer.letter === letter);
        if (choice?.needsEnter) setState({ selected: choice.letter, awaitsEnter: true });
        else if (choice) take(choice);
    });
    config.show(state);
    return "";
});
