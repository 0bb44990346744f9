import { Errors, Flags, type Interfaces } from "@oclif/core";
import { type Mode, MODE_IDS } from "../../plugin/modes.js";
import { positive, shellCommandFlag, textFlag, timeLimitFlag } from "./flags.js";

/** The flags of `north chat` and `north resume`. */
export const chatFlags = {
    print: Flags.boolean({
        char: "p",
        description: "Answer one prompt and exit; only the answer goes to stdout.",
    }),
    "output-format": Flags.option({
        options: ["text", "json", "stream-json"] as const,
        description:
            "With --print: the answer (the default), one JSON object, or one event per line.",
        dependsOn: ["print"],
    })(),
    model: textFlag({
        char: "m",
        description: "Alias or ID of the model; see `north models`.",
        helpValue: "MODEL",
    }),
    thinking: Flags.option({
        options: ["on", "off", "low", "medium", "high", "xhigh", "max"] as const,
        description: "Extended thinking: on, off, or an effort level where supported.",
    })(),
    tier: Flags.option({
        options: ["flex"] as const,
        description: "Use the vendor's cheaper, slower tier, where the model has one.",
    })(),
    mode: Flags.option({
        options: MODE_IDS,
        description:
            "Only read (ask, plan), review the whole task once (draft) or each change (agent, the default).",
    })(),
    plan: Flags.boolean({
        description: "The same as --mode plan: only read, and write a plan to accept.",
        exclusive: ["mode"],
    }),
    path: textFlag({
        description: "Work in the repository that contains this folder.",
        helpValue: "DIR",
    }),
    worktree: textFlag({
        char: "w",
        description: "Work in a git worktree of this name, created if needed.",
        helpValue: "NAME",
    }),
    file: textFlag({
        description: "Attach this file to the first message (repeatable).",
        helpValue: "PATH",
        multiple: true,
        multipleNonGreedy: true,
    }),
    plain: Flags.boolean({
        description: "Plain lines for a screen reader or a log, as with TERM=dumb.",
        exclusive: ["print"],
    }),
    // In many scripts written for Claude Code.
    verbose: Flags.boolean({ hidden: true, description: "Accepted and ignored." }),
    "log-level": Flags.option({
        options: ["info", "debug"] as const,
        default: "info" as const,
        description: "Log level of north.log.",
    })(),
    "accept-edits": Flags.boolean({
        description: "Apply edits without asking, in this run only.",
    }),
    "approve-shell": Flags.boolean({
        description: "Run commands without asking, in this run only.",
    }),
    "allow-host": Flags.custom<string>({
        description:
            "Let contained commands and web_fetch reach this host in this run (repeatable).",
        helpValue: "HOST",
        multiple: true,
        multipleNonGreedy: true,
        parse: hostName,
    })(),
    contain: Flags.option({
        options: ["auto", "off", "required", "external"] as const,
        description:
            "Run commands contained first (auto), never (off), always (required), or for real because this machine is a container made for it (external).",
    })(),
    "max-turns": Flags.integer({
        description: "Stop after this many requests to the model.",
        min: 1,
        helpValue: "N",
    }),
    "max-cost": Flags.custom<number>({
        description: "Stop once this much has been spent.",
        helpValue: "USD",
        parse: positive,
    })(),
    "json-schema": textFlag({
        description: "With --print: fail unless the answer is JSON that matches this JSON Schema.",
        helpValue: "FILE|JSON",
        dependsOn: ["print"],
    }),
    patch: textFlag({
        description: "With --print and --mode draft: write the draft's patch here; - is stdout.",
        helpValue: "FILE",
        dependsOn: ["print"],
    }),
    until: shellCommandFlag({
        description:
            "Continue until this command exits with 0, at most 3 times; the model gets its output.",
    }),
    timeout: timeLimitFlag({
        description: "With --print: stop after this many seconds.",
        dependsOn: ["print"],
    }),
};

type Parsed = Interfaces.InferredFlags<typeof chatFlags>;
type FlagsWithDefault = "print" | "log-level" | "accept-edits" | "approve-shell";

/** The parsed flags of a run. Those without a default may be absent. */
export type ChatFlags = Partial<Parsed> & Pick<Parsed, FlagsWithDefault>;

/** The mode that the flags name. */
export function modeIn({ mode, plan }: Pick<ChatFlags, "mode" | "plan">): Mode | undefined {
    return plan ? "plan" : mode;
}

/** Sets `path` to the worktree named in the flags, creating it if needed. */
export async function inWorktree<Given extends Pick<ChatFlags, "path" | "worktree">>(
    flags: Given
): Promise<Given> {
    if (flags.worktree === undefined) return flags;
    const { openWorktree } = await import("../operations/worktree.js");
    return { ...flags, path: await openWorktree(flags.path ?? process.cwd(), flags.worktree) };
}

async function hostName(text: string): Promise<string> {
    if (/^[\w-]+(?:\.[\w-]+)+(?::\d{1,5})?$/.test(text)) return text.toLowerCase();
    throw new Errors.CLIError(`Expected a host such as registry.npmjs.org but received: ${text}`);
}
