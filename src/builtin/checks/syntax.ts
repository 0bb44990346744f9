import { counted } from "../../base/format.js";
import { withTimeLimit } from "../../base/waiting.js";
import type { Check, FileChange, Finding } from "../../plugin/index.js";

const MOST_BYTES = 1024 * 1024;
/** How long a review waits for the parses. */
const PARSING_MS = 2_000;
/** The same and the loading of grammars, which a busy machine does slowly. */
const LIMIT_MS = 15_000;

/** Says which errors a change brings: of syntax, in data files, and conflict markers. */
export const syntax: Check = {
    name: "syntax",
    timeLimitMs: LIMIT_MS,
    async onProposal({ changes }, { signal }) {
        const { errorsIn } = await import("./file-errors.js");
        const meant = changes.flatMap((change) => {
            const after = textOf(change.after);
            if (change.type || change.isIgnored || after === undefined) return [];
            return { change, after };
        });
        // Loads the grammars before the time counts.
        for (const { change } of meant) await errorsIn(change.path, "", signal);
        const check = async (ended: AbortSignal) => {
            const findings: Finding[] = [];
            for (const { change, after } of meant) {
                ended.throwIfAborted();
                findings.push(...(await newErrors(change, after, ended)));
            }
            return findings;
        };
        return withTimeLimit(PARSING_MS, check, { signal });
    },
};

async function newErrors(
    { path, before }: FileChange,
    after: string,
    signal: AbortSignal
): Promise<readonly Finding[]> {
    const { errorsIn } = await import("./file-errors.js");
    const found = await errorsIn(path, after, signal);
    if (found.length === 0) return [];
    const errorsBefore = await errorsIn(path, textOf(before) ?? "", signal);
    const old = errorsBefore.filter(({ kind }) => kind === found[0]?.kind);
    const added = found.length - old.length;
    if (added <= 0) return [];
    // An edit elsewhere in the file moves errors, but not the lines that they stand in.
    const known = new Set(old.map(({ source, text }) => `${source}\n${text}`));
    const first =
        found.find(({ source, text }) => !known.has(`${source}\n${text}`)) ?? found[old.length];
    if (first === undefined) return [];
    const { line, kind, text } = first;
    const finding = `+${counted(added, kind)}, ${text}`;
    return [{ path, line, severity: "error", text: finding }];
}

/** `undefined` for what is no text, or too long to be checked beside a review. */
function textOf(content: Uint8Array | null): string | undefined {
    if (content === null || content.length > MOST_BYTES || content.includes(0)) return undefined;
    return Buffer.from(content).toString();
}
