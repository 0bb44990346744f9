import { prefixWithin } from "../../code/text/line-window.js";
import type { ContextPart, ContextRequest, ContextSource, SentParts } from "../../plugin/index.js";
import { readRules, type Rule } from "../../workspace/context/rules.js";

const MAX_BYTES = 30 * 1024;

const TITLE = "# Project rules";

/** Rules that Cursor, Claude Code and Copilot read, read once per conversation. */
export function rulesSource(): ContextSource {
    let rules: Promise<readonly Rule[]> | undefined;
    const read = async (request: ContextRequest) => {
        rules ??= readRules(request).then((all) => all.filter(({ body }) => body !== ""));
        return rules.catch((error: unknown) => {
            rules = undefined;
            throw error;
        });
    };
    return {
        name: "rules",
        async begin(request) {
            rules = undefined;
            return alwaysRules(await read(request));
        },
        forFiles: async (files, request) => rulesFor(await read(request), files, request.sent),
    };
}

/** The rules that apply to every conversation, as one part. */
function alwaysRules(rules: readonly Rule[]): ContextPart[] {
    const found = rules.filter(({ always }) => always);
    if (found.length === 0) return [];
    const text = withinBytes([TITLE, ...found.map(textOf)].join("\n\n"), MAX_BYTES);
    const folders = new Set(found.map(({ path }) => path.split("/", 2).join("/")));
    return [{ kind: "rules", id: "rules", text, origin: [...folders].join(", ") }];
}

/** Rules for touched files that were not sent before, one part each, within the size limit. */
function rulesFor(
    rules: readonly Rule[],
    files: readonly string[],
    sent: SentParts
): ContextPart[] {
    let room = MAX_BYTES - bytesOfRules(sent);
    const parts: ContextPart[] = [];
    for (const rule of rules) {
        const id = `rule:${rule.path}`;
        if (rule.always || sent.has(id) || !files.some((file) => rule.matches(file))) continue;
        if (room <= 0) break;
        const whole = [`${TITLE}: for files you use now`, textOf(rule)].join("\n\n");
        const text = withinBytes(whole, room);
        room -= Buffer.byteLength(text);
        parts.push({ kind: "rules", id, text, origin: rule.path });
    }
    return parts;
}

function textOf({ path, body }: Rule): string {
    return `## ${path}\n\n${body}`;
}

function bytesOfRules(sent: SentParts): number {
    return [...sent.values()]
        .filter(({ kind }) => kind === "rules")
        .reduce((sum, { text }) => sum + Buffer.byteLength(text), 0);
}

/** The start of a text, cut between characters. */
export function withinBytes(text: string, maxBytes: number): string {
    const beginning = prefixWithin(text, maxBytes);
    return beginning.length === text.length ? text : `${beginning}\n[truncated]`;
}
