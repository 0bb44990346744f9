import { truncateMiddle } from "../../base/format.js";
import type { Entry } from "../../plugin/index.js";
import { isEdit } from "../draft/open-draft.js";
import { charactersIn } from "../message/estimate.js";

/** Maximum tokens of user messages repeated in a summary. */
const MAX_USER_TOKENS = 20_000;
/** The same limit as a share of a small context window. */
const MAX_USER_SHARE = 0.15;
/** Max length of a message kept whole; of longer (pasted) ones, the beginning and end are kept. */
const MAX_MESSAGE_CHARACTERS = 8_000;
const MAX_FILES = 100;
const MAX_COMMANDS = 50;
const MAX_COMMAND_CHARACTERS = 200;

/** Facts from the log about a part of the conversation, independent of the model's summary. */
export interface ConversationFacts {
    /** The user's messages, oldest first. The first one is always included. */
    readonly userMessages: readonly string[];
    /** Number of messages omitted after the first. */
    readonly omittedMessages: number;
    readonly files: readonly { readonly path: string; readonly what: string }[];
    readonly commands: readonly string[];
}

export function factsBefore(
    entries: readonly Entry[],
    keepFrom: string,
    contextTokens: number
): ConversationFacts {
    const end = entries.findIndex(({ id }) => id === keepFrom);
    const before = end < 0 ? entries : entries.slice(0, end);
    const room = charactersIn(Math.min(MAX_USER_TOKENS, contextTokens * MAX_USER_SHARE));
    return {
        ...userMessagesIn(before, room),
        files: filesIn(before),
        commands: commandsIn(before),
    };
}

function userMessagesIn(entries: readonly Entry[], characters: number) {
    const all = entries.flatMap((entry) => (entry.kind === "user" ? [entry.text.trim()] : []));
    const longest = Math.min(MAX_MESSAGE_CHARACTERS, Math.floor(characters / 2));
    const [first, ...rest] = all.map((text) => truncateMiddle(text, longest));
    if (first === undefined) return { userMessages: [], omittedMessages: 0 };
    let room = characters - first.length;
    const last: string[] = [];
    for (const text of rest.toReversed()) {
        room -= text.length;
        if (room < 0) break;
        last.unshift(text);
    }
    return { userMessages: [first, ...last], omittedMessages: rest.length - last.length };
}

function filesIn(entries: readonly Entry[]): ConversationFacts["files"] {
    const written = new Map<string, string>();
    const drafted = new Map<string, string>();
    for (const entry of entries.filter(isEdit)) {
        const isDrafted = entry.kind === "drafted";
        const [files, place] = isDrafted ? [drafted, " in the draft"] : [written, ""];
        if (!isDrafted && entry.applies) drafted.clear();
        for (const { path, beforeHash, afterHash } of entry.files) {
            files.delete(path);
            const change =
                afterHash === null ? "deleted" : beforeHash === null ? "created" : "changed";
            files.set(path, (entry.undoes ? "undone by the user" : change) + place);
        }
    }
    return [...written, ...drafted].slice(-MAX_FILES).map(([path, what]) => ({ path, what }));
}

function commandsIn(entries: readonly Entry[]): readonly string[] {
    const outcomes = new Map<string, string>();
    for (const entry of entries) {
        if (entry.kind !== "tool_result") continue;
        outcomes.set(entry.callId, entry.summary ?? (entry.ok ? "done" : "failed"));
    }
    return entries
        .flatMap((entry) => {
            if (entry.kind !== "review" || entry.subject !== "shell") return [];
            if (entry.status === "denied") return [];
            const command = truncateMiddle(
                entry.what.replaceAll("\n", " "),
                MAX_COMMAND_CHARACTERS
            );
            return [`${command} (${outcomes.get(entry.callId) ?? "interrupted"})`];
        })
        .slice(-MAX_COMMANDS);
}
