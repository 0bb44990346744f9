import type {
    ContextPart,
    ContextRequest,
    ContextSource,
    ToldContext,
} from "../../plugin/index.js";
import { type CursorRule, readCursorRules } from "../../workspace/context/cursor-rules.js";

const MAX_BYTES = 30 * 1024;

const FOLDER = ".cursor/rules";
const TITLE = `# Cursor Project Rules (${FOLDER})`;

/** Rules of the Cursor editor, read once per conversation. */
export function rulesSource(): ContextSource {
    let rules: Promise<readonly CursorRule[]> | undefined;
    const read = async (request: ContextRequest) => {
        rules ??= readCursorRules(request).then((all) => all.filter(({ body }) => body !== ""));
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
        forFiles: async (files, request) => rulesFor(await read(request), files, request.told),
    };
}

/** The rules that apply to every conversation, as one part. */
function alwaysRules(rules: readonly CursorRule[]): ContextPart[] {
    const texts = rules.filter(({ always }) => always).map(textOf);
    if (texts.length === 0) return [];
    const text = withinBytes([TITLE, ...texts].join("\n\n"), MAX_BYTES);
    return [{ kind: "rules", id: "rules", text, origin: FOLDER }];
}

/** Rules for touched files that were not sent before, one part each, within the size limit. */
function rulesFor(
    rules: readonly CursorRule[],
    files: readonly string[],
    told: ToldContext
): ContextPart[] {
    let room = MAX_BYTES - bytesOfRules(told);
    const parts: ContextPart[] = [];
    for (const rule of rules) {
        const id = `rule:${rule.path}`;
        if (rule.always || told.has(id) || !files.some((file) => rule.matches(file))) continue;
        if (room <= 0) break;
        const whole = [`${TITLE}: for files you use now`, textOf(rule)].join("\n\n");
        const text = withinBytes(whole, room);
        room -= Buffer.byteLength(text);
        parts.push({ kind: "rules", id, text, origin: `${FOLDER}/${rule.path}` });
    }
    return parts;
}

function textOf({ path, body }: CursorRule): string {
    return `## ${path}\n\n${body}`;
}

function bytesOfRules(told: ToldContext): number {
    return [...told.values()]
        .filter(({ kind }) => kind === "rules")
        .reduce((sum, { text }) => sum + Buffer.byteLength(text), 0);
}

/** The start of a text, cut between characters. */
export function withinBytes(text: string, maxBytes: number): string {
    const bytes = Buffer.from(text);
    if (bytes.length <= maxBytes) return text;
    // In stream mode the decoder drops an incomplete last character.
    const beginning = new TextDecoder().decode(bytes.subarray(0, maxBytes), { stream: true });
    return `${beginning}\n[truncated]`;
}
