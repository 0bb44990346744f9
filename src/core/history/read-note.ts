import { type Fields, isFields, fieldsIn, jsonIn } from "../../base/fields.js";
import { rangesIn } from "./line-ranges.js";

/** Who a note says wrote a line. Nobody has checked that. */
export interface NotedAgent {
    readonly tool: string;
    readonly model: string;
}

/** Longer than the notes of the largest commits. */
const MAX_CHARACTERS = 4 * 1024 ** 2;

/**
 * Reads a git note in the form of Git AI's authorship logs (see `noteOf`), of North or another tool.
 * Resolves a line of a file as committed; what is not in that form says nothing.
 */
export function readNote(note: string): (path: string, line: number) => NotedAgent | undefined {
    const [attested = "", ...rest] = note.slice(0, MAX_CHARACTERS).split("\n---\n");
    const metadata = fieldsIn(rest.join("\n---\n")) ?? {};
    const known = (part: unknown): Fields => (isFields(part) ? part : {});
    const [sessions, prompts] = [known(metadata.sessions), known(metadata.prompts)];
    const files = new Map<string, { readonly agent: NotedAgent; readonly ranges: Ranges }[]>();
    let entries: { readonly agent: NotedAgent; readonly ranges: Ranges }[] = [];
    for (const row of attested.split("\n")) {
        const [, id = "", lines = ""] = /^ {2}([^\s:]+)(?::\S*)? (\S+)$/.exec(row) ?? [];
        if (id === "") {
            entries = [];
            files.set(row.startsWith('"') ? unquoted(row) : row, entries);
            continue;
        }
        const agent = agentIn(sessions[id] ?? prompts[id]);
        if (agent) entries.push({ agent, ranges: rangesIn(lines) });
    }
    return (path, line) =>
        files
            .get(path)
            ?.find(({ ranges }) => ranges.some(([first, last]) => first <= line && line <= last))
            ?.agent;
}

type Ranges = ReturnType<typeof rangesIn>;

function agentIn(entry: unknown): NotedAgent | undefined {
    const agent = isFields(entry) && isFields(entry.agent_id) ? entry.agent_id : {};
    const { tool, model } = agent;
    return typeof tool === "string" && typeof model === "string" ? { tool, model } : undefined;
}

function unquoted(row: string): string {
    const name: unknown = jsonIn(row);
    return typeof name === "string" ? name : row.slice(1, -1);
}
