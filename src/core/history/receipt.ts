import { sha256 } from "../../base/sha256.js";
import { groupedLines, rangesIn } from "./line-ranges.js";
import type { ModelLine } from "./seen-lines.js";
import type { CheckOnTree } from "./tested-trees.js";

/** What North's log knows of a commit's added lines. */
export interface Receipt {
    readonly commit: string;
    readonly tree: string;
    /** The first parent; the commit itself if it has none. */
    readonly base: string;
    readonly files: readonly AttestedFile[];
    /** Those that North ran on exactly this tree. */
    readonly checks: readonly CheckOnTree[];
}

interface AttestedFile {
    readonly path: string;
    readonly parts: readonly AttestedPart[];
}

interface AttestedPart {
    readonly conversation: string;
    readonly turn: number;
    readonly model: string;
    readonly provider: string;
    readonly isSeen: boolean;
    /** As ranges: `1-4,9`. */
    readonly lines: string;
}

export function attestedFile(path: string, lines: readonly ModelLine[]): AttestedFile {
    const known = lines.map(({ line, isSeen, origin }) => {
        const { turn, model = "", provider = "" } = origin.change;
        const facts = { conversation: turn.conversationId, turn: turn.number, model, provider };
        return [{ ...facts, isSeen }, line] as const;
    });
    return { path, parts: groupedLines(known) };
}

export function countIn(lines: string): number {
    return rangesIn(lines).reduce((sum, [first, last]) => sum + last - first + 1, 0);
}

/**
 * A receipt as a git note in the form of Git AI's authorship logs, which all bytes follow from:
 * https://github.com/git-ai-project/git-ai/blob/main/specs/git_ai_standard_v3.0.0.md
 */
export function noteOf({ tree, base, files, checks }: Receipt): string {
    const rows = files.flatMap(({ path, parts }) => [
        /[\s"\\]/.test(path) ? JSON.stringify(path) : path,
        ...parts.map((part) => `  ${sessionId(part)}::${traceId(part)} ${part.lines}`),
    ]);
    const all = files.flatMap(({ parts }) => parts);
    const sessions = all.map((part) => {
        const agent = { tool: "north", id: part.conversation, model: part.model };
        return [sessionId(part), { agent_id: agent }] as const;
    });
    const traces = all.map((part) => {
        const { turn, provider, model, isSeen } = part;
        return [traceId(part), { turn, model: `${provider}/${model}`, seen: isSeen }] as const;
    });
    const metadata = {
        schema_version: "authorship/3.0.0",
        base_commit_sha: base,
        prompts: {},
        sessions: Object.fromEntries(sessions),
        north: { tree, traces: Object.fromEntries(traces), checks },
    };
    return `${[...rows, "---", JSON.stringify(metadata, null, 2)].join("\n")}\n`;
}

function sessionId({ conversation }: AttestedPart): string {
    return `s_${sha256(`north:${conversation}`).slice(0, 14)}`;
}

function traceId({ lines: _, ...facts }: AttestedPart): string {
    return `t_${sha256(JSON.stringify(facts)).slice(0, 14)}`;
}

interface TraceOrigin {
    /** A UUID. */
    readonly id: string;
    /** Epoch milliseconds. */
    readonly at: number;
    readonly version: string;
}

/** A receipt as an Agent Trace record: https://github.com/cursor/agent-trace */
export function agentTraceOf(
    { commit, tree, files, checks }: Receipt,
    { id, at, version }: TraceOrigin
) {
    return {
        version: "0.1",
        id,
        timestamp: new Date(at).toISOString(),
        vcs: { type: "git", revision: commit },
        tool: { name: "north", version },
        files: files.map(({ path, parts }) => ({
            path,
            conversations: parts.map(({ provider, model, lines }) => ({
                contributor: { type: "ai", model_id: `${provider}/${model}`.slice(0, 250) },
                ranges: rangesIn(lines).map(([start, end]) => ({
                    start_line: start,
                    end_line: end,
                })),
            })),
        })),
        metadata: { north: { tree, files, checks } },
    };
}
