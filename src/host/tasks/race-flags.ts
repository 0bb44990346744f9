import { Errors, Flags } from "@oclif/core";
import { chatFlags } from "../command-line/chat-flags.js";
import { pathFlag, shellCommandFlag, timeLimitFlag } from "../command-line/flags.js";

const { thinking, contain } = chatFlags;

/** The flags of `north race`. */
export const raceFlags = {
    models: Flags.custom<readonly string[]>({
        description: "Models to run, separated by commas; defaults to yours.",
        helpValue: "MODEL,MODEL",
        parse: async (text) => {
            const names = text.split(",").map((name) => name.trim());
            if (names.every(Boolean)) return names;
            throw new Errors.CLIError(`Expected models such as opus,sonnet but received: ${text}`);
        },
    })(),
    times: Flags.integer({
        description: "Runs of each model.",
        default: 1,
        min: 1,
        max: 16,
        helpValue: "N",
    }),
    until: shellCommandFlag({
        required: true,
        description:
            "Command that decides: a run passes if it exits with 0. A run may try 3 times.",
    }),
    "max-cost": {
        ...chatFlags["max-cost"],
        description: "Stop once all runs together have cost this much.",
    },
    "max-turns": {
        ...chatFlags["max-turns"],
        description: "Stop a run after this many requests to the model.",
    },
    timeout: timeLimitFlag({ description: "Stop a run after this many seconds." }),
    "approve-shell": chatFlags["approve-shell"],
    "allow-host": chatFlags["allow-host"],
    ...{ thinking, contain },
    force: Flags.boolean({ char: "f", description: "Apply the winner without asking." }),
    path: pathFlag(),
};
