import { extname } from "node:path";
import { startCpuClock } from "../../base/cpu-clock.js";
import { counted } from "../../base/format.js";
import { withTimeLimit } from "../../base/waiting.js";
import type { Check, FileChange, Finding } from "../../plugin/index.js";

const MAX_BYTES = 1024 * 1024;
/** CPU time for the parsing of one review: a busy machine must not hide errors. */
const PARSING_MS = 2_000;
/** Also covers loading the grammars, which is slow on a busy machine. */
const LIMIT_MS = 15_000;

/** Reports syntax errors, invalid data files and conflict markers that a change introduces. */
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
        // Load the grammars before the clock starts.
        const kinds = new Map(meant.map(({ change: { path } }) => [extname(path), path]));
        for (const path of kinds.values()) await errorsIn(path, "", signal);
        const check = async (ended: AbortSignal) => {
            const findings: Finding[] = [];
            for (const { change, after } of meant) {
                ended.throwIfAborted();
                findings.push(...(await newErrors(change, after, ended)));
            }
            return findings;
        };
        return withTimeLimit(PARSING_MS, check, { signal, spentMs: startCpuClock() });
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
    // Match errors by the text of their line: edits elsewhere move lines, but do not change them.
    const known = new Set(old.map(({ source, text }) => `${source}\n${text}`));
    const first =
        found.find(({ source, text }) => !known.has(`${source}\n${text}`)) ?? found[old.length];
    if (first === undefined) return [];
    const { line, kind, text } = first;
    const finding = `+${counted(added, kind)}, ${text}`;
    return [{ path, line, severity: "error", text: finding }];
}

/** Returns `undefined` for binary files, and for files too large to check during a review. */
function textOf(content: Uint8Array | null): string | undefined {
    if (content === null || content.length > MAX_BYTES || content.includes(0)) return undefined;
    return Buffer.from(content).toString();
}
