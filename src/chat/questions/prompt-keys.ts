/** Keys that the prompt is sent. */
export const PROMPT_KEYS = {
    enter: "\r",
    next: "\u001b[B",
    previous: "\u001b[A",
    /** Selects again what is selected at first. */
    reset: "\u0015",
} as const;
