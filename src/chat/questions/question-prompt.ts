import { createPrompt, useState } from "@inquirer/core";

import type { QuestionAction } from "./deliberate-keys.js";
import { choiceOf, type Choice } from "./question.js";
import type { QuestionState, ShownQuestion } from "./question-rows.js";

interface PromptConfig {
    show(state: QuestionState): void;
    shown(): Pick<ShownQuestion, "offered" | "selected">;
    connect(perform: (action: QuestionAction) => void): void;
    /** Called synchronously when a choice is taken; the promise resolves later. */
    settled(): void;
}

/** Draws nothing itself: inquirer's output breaks after a resize. */
export const questionPrompt = createPrompt<string, PromptConfig>((config, done) => {
    const [state, setState] = useState<QuestionState>({});
    config.connect((action) => {
        const { offered, selected } = config.shown();
        const take = ({ letter }: Choice): void => {
            config.settled();
            done(letter);
        };
        const move = (step: number): void => {
            const at = offered.indexOf(selected) + offered.length + step;
            setState({ selected: offered[at % offered.length]?.letter });
        };
        if (action.kind === "enter") return take(selected);
        if (action.kind === "next") return move(1);
        if (action.kind === "previous") return move(-1);
        if (action.kind === "reset") return setState({});
        // Esc is a no, or whatever does nothing.
        const choice =
            "letter" in action
                ? choiceOf(action.letter, offered)
                : (choiceOf("n", offered) ?? offered.find(({ letter }) => letter !== "v"));
        if (choice?.needsEnter) setState({ selected: choice.letter, awaitsEnter: true });
        else if (choice) take(choice);
    });
    config.show(state);
    return "";
});
