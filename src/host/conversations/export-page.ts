import { attempt } from "../../base/attempt.js";
import type { StoredContents } from "../../base/stored-contents.js";
import { escapeUTF8 } from "entities";
import { Marked } from "marked";
import { formatCosts, formatLineCounts, formatUsd, localMinute } from "../../base/format.js";
import { showControls } from "../../base/safe-text.js";
import { diffsOf, type FileDiff } from "../../core/diff/diff.js";
import { commandText } from "../../core/conversation/command-text.js";
import { withEndedCalls } from "../../core/conversation/ended-calls.js";
import { settledTexts } from "../../core/conversation/undo.js";
import type {
    AssistantEntry,
    ChangeEntry,
    DraftedEntry,
    Entry,
    ToolResultEntry,
} from "../../plugin/records.js";
import { evidenceAfter, type ExportedConversation } from "./exported-conversation.js";

/** Max characters per block of a page. */
const MAX_CHARACTERS = 20_000;

/** A self-contained HTML page. All text is escaped; a CSP blocks scripts that slip through. */
export async function exportPage(
    exported: ExportedConversation,
    contents: StoredContents
): Promise<string> {
    const { id, root, startedAt, costUsd, unpricedRequests, entries } = exported;
    const title = `Conversation ${id}`;
    const sections: string[] = [];
    const settled = settledTexts(entries);
    for (const entry of withEndedCalls(entries)) {
        const evidence = evidenceAfter(exported, entry);
        sections.push(await sectionOf(entry, contents, settled), evidence ? note(evidence) : "");
    }
    const facts = [root, localMinute(startedAt), formatCosts(costUsd, unpricedRequests)]
        .map(safe)
        .join(" · ");
    return [
        "<!doctype html>",
        '<html lang="en"><head><meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        `<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">`,
        '<meta name="color-scheme" content="light dark">',
        `<title>${safe(title)}</title><style>${PAGE_STYLE}</style></head><body><main>`,
        `<header><h1>${safe(title)}</h1><p>${facts}</p></header>`,
        ...sections.filter((section) => section !== ""),
        "</main></body></html>",
        "",
    ].join("\n");
}

async function sectionOf(
    entry: Entry,
    contents: StoredContents,
    settled: ReadonlyMap<string, string>
): Promise<string> {
    switch (entry.kind) {
        case "user":
            return `<section class="user"><h2>You <time>${safe(localMinute(entry.at))}</time></h2>${preformatted(entry.text)}</section>`;
        case "assistant":
            return replySection(entry);
        case "tool_result":
            return resultSection(entry);
        case "review": {
            const by = entry.decidedBy === "user" ? "by you" : "automatically";
            const reason = entry.reason === undefined ? "" : `: ${entry.reason}`;
            return note(`${entry.status} ${by}${reason} · ${entry.what.slice(0, MAX_CHARACTERS)}`);
        }
        case "change":
        case "drafted":
            return changeSection(entry, contents, settled.get(entry.id));
        case "host_note":
            return "";
        case "command":
            return note(commandText(entry));
        default:
            return entry satisfies never;
    }
}

function replySection({ content, model, status, costUsd, at }: AssistantEntry): string {
    const said = content.flatMap((part) => (part.type === "text" ? fromMarkdown(part.text) : []));
    if (status !== "complete") said.push(note(status === "cancelled" ? status : "interrupted"));
    if (said.length === 0) return "";
    const facts = [localMinute(at), ...(costUsd === undefined ? [] : [formatUsd(costUsd)])];
    const head = `<h2>${safe(model)} <time>${facts.map(safe).join(" · ")}</time></h2>`;
    return `<section class="reply">${head}${said.join("")}</section>`;
}

function resultSection({ intent, ok, summary, display, text, content }: ToolResultEntry): string {
    const outcome = ok ? (summary ?? "") : "failed";
    return folded(
        [intent, outcome].filter(Boolean).join(" · "),
        preformatted(display ?? text ?? content)
    );
}

async function changeSection(
    entry: ChangeEntry | DraftedEntry,
    contents: StoredContents,
    settled: string | undefined
): Promise<string> {
    const bytesAt = async (hash: string | null) =>
        hash === null ? null : contents.get(hash).catch(() => undefined);
    const diffs = await Promise.all(
        entry.files.map(async ({ path, type, beforeHash, afterHash }) => {
            const [before, after] = [await bytesAt(beforeHash), await bytesAt(afterHash)];
            if (before === undefined || after === undefined) {
                return note(`${path}: no longer stored`);
            }
            const kind = type === undefined ? {} : { type };
            return diffsOf({ changes: [{ path, ...kind, before, beforeHash, after }] })
                .map(diffSection)
                .join("");
        })
    );
    const title = settled ?? (entry.kind === "drafted" ? "Drafted" : undefined);
    return (title === undefined ? "" : note(`${title}:`)) + diffs.join("");
}

function diffSection({ path, diff, kind, linesAdded, linesRemoved }: FileDiff): string {
    const rows = diff.slice(0, MAX_CHARACTERS).split("\n");
    const marked = rows.map((row) => {
        const sign = row.startsWith("@@") ? "hunk" : CLASSES[row.slice(0, 1)];
        return sign === undefined ? safe(row) : `<span class="${sign}">${safe(row)}</span>`;
    });
    const cut = diff.length > MAX_CHARACTERS ? [cutNote(diff.length - MAX_CHARACTERS)] : [];
    const summary = `${path} ${kind} ${formatLineCounts([{ linesAdded, linesRemoved }])}`;
    return folded(summary, `<pre class="diff">${[...marked, ...cut].join("\n")}</pre>`);
}

const CLASSES: Readonly<Record<string, string>> = { "+": "added", "-": "removed" };

function folded(summary: string, body: string): string {
    return `<details><summary>${safe(summary)}</summary>${body}</details>`;
}

function note(text: string): string {
    return `<p class="note">${safe(text)}</p>`;
}

function preformatted(text: string): string {
    const cut = text.length > MAX_CHARACTERS ? `\n${cutNote(text.length - MAX_CHARACTERS)}` : "";
    return `<pre>${safe(text.slice(0, MAX_CHARACTERS))}${cut}</pre>`;
}

function cutNote(characters: number): string {
    return `… ${characters} more characters`;
}

function safe(text: string): string {
    return escapeUTF8(showControls(text));
}

const pages = new Marked({
    renderer: {
        // Text that looks like HTML is content, not markup.
        html: ({ text }) => escapeUTF8(text),
        image: ({ text }) => escapeUTF8(text),
        link({ href, tokens }) {
            const text = this.parser.parseInline(tokens);
            if (!/^https?:\/\//i.test(href)) return text;
            return `<a href="${escapeUTF8(href)}" rel="noreferrer">${text}</a>`;
        },
    },
});

/** Falls back to plain text: nesting without bound breaks the parser. */
function fromMarkdown(text: string): string {
    return attempt(() => pages.parse(showControls(text), { async: false })) ?? preformatted(text);
}

/** One column at any width, light or dark as the reader's system. */
const PAGE_STYLE = `
:root { color-scheme: light dark; --text: #1f2328; --quiet: #59636e; --page: #ffffff; --block: #f6f8fa;
  --edge: #d1d9e0; --added: #116329; --removed: #a40e26; --hunk: #0550ae; }
@media (prefers-color-scheme: dark) { :root { --text: #e6edf3; --quiet: #9198a1; --page: #0d1117;
  --block: #161b22; --edge: #3d444d; --added: #7ee787; --removed: #ffa198; --hunk: #79c0ff; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--page); color: var(--text); font: 16px/1.5 system-ui, sans-serif; }
main { max-width: 52rem; margin: 0 auto; padding: 1rem; overflow-wrap: anywhere; }
h1 { font-size: 1.4rem; } h2 { font-size: 1rem; margin: 1.5rem 0 .5rem; }
header p, time, .note { color: var(--quiet); font-weight: normal; font-size: .875rem; }
pre, code { font: .8125rem/1.45 ui-monospace, monospace; }
pre { background: var(--block); padding: .75rem; border-radius: .375rem; white-space: pre-wrap; margin: .5rem 0; }
.user { border-left: .25rem solid var(--hunk); padding-left: .75rem; }
.user pre { background: none; padding: 0; font: inherit; }
details { border: 1px solid var(--edge); border-radius: .375rem; margin: .5rem 0; padding: 0 .75rem; }
summary { padding: .375rem 0; cursor: pointer; }
table { border-collapse: collapse; display: block; overflow-x: auto; }
td, th { border: 1px solid var(--edge); padding: .25rem .5rem; }
a { color: var(--hunk); }
.added { color: var(--added); } .removed { color: var(--removed); } .hunk { color: var(--hunk); }
`;
