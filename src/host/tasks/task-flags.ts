import { Flags } from "@oclif/core";
import { chatFlags } from "../command-line/chat-flags.js";
import { pathFlag, timeLimitFlag } from "../command-line/flags.js";

const { model, thinking, tier, until, contain } = chatFlags;

/** The flags of `north run`. */
export const taskFlags = {
    jobs: Flags.integer({
        char: "j",
        description: "Tasks at a time; defaults to the number of processors.",
        min: 1,
        max: 256,
        helpValue: "N",
    }),
    "max-cost": {
        ...chatFlags["max-cost"],
        description: "Stop once all tasks together have cost this much.",
    },
    "max-cost-each": {
        ...chatFlags["max-cost"],
        description: "Stop a task once it has cost this much.",
    },
    "max-turns": {
        ...chatFlags["max-turns"],
        description: "Stop a task after this many requests to the model.",
    },
    timeout: timeLimitFlag({ description: "Stop a task after this many seconds." }),
    "approve-shell": chatFlags["approve-shell"],
    "allow-host": chatFlags["allow-host"],
    ...{ model, thinking, tier, until, contain },
    predictions: Flags.boolean({
        description: "Write SWE-bench's predictions: instance_id, model_name_or_path, model_patch.",
    }),
    "key-prefix": Flags.string({
        description: "Prefix of each task's --once key; a new prefix runs the tasks again.",
        default: "",
        helpValue: "TEXT",
    }),
    path: pathFlag(),
};
