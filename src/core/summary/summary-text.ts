import { reminder } from "../message/reminder.js";
import type { StructuredSummary } from "./structured-summary.js";
import type { ConversationFacts } from "./summary-facts.js";

interface SummaryParts {
    readonly root: string;
    /** Absent if the model gave none; then only the facts are used. */
    readonly summary: StructuredSummary | undefined;
    readonly facts: ConversationFacts;
    readonly reminders: Iterable<string>;
}

/** The message that replaces the beginning of a conversation. */
export function summaryText({ root, summary, facts, reminders }: SummaryParts): string {
    const files = facts.files.map(({ path, what }) => `${path} (${what})`);
    const sections = [
        "The beginning of this conversation was summarized to save room; what follows it is as it was. " +
            "What the user asked for below still holds. Read files again before you edit them.",
        `Project root: ${root}`,
        section("Goal", summary?.goal ? [summary.goal] : []),
        section("Constraints", summary?.constraints),
        section("Decisions", summary?.decisions),
        section("Open tasks", summary?.openTasks),
        section("Important files", summary?.importantFiles),
        section("Files changed so far", files),
        section("Commands run so far", facts.commands),
        userMessagesSection(facts),
        ...reminders,
    ];
    return reminder(sections.filter((text) => text !== "").join("\n\n"));
}

function section(title: string, items: readonly string[] = []): string {
    if (items.length === 0) return "";
    return [`# ${title}`, ...items.map((item) => `- ${item.replaceAll("\n", "\n  ")}`)].join("\n");
}

function userMessagesSection({ userMessages, omittedMessages }: ConversationFacts): string {
    const [first, ...rest] = userMessages;
    if (first === undefined) return "";
    const gap = omittedMessages > 0 ? [`[${omittedMessages} messages left out]`] : [];
    return ["# The user's own words, oldest first", first, ...gap, ...rest].join("\n---\n");
}
