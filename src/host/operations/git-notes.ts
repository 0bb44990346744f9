import { runGit } from "../../base/git.js";
import { type NotedAgent, readNote } from "../../core/history/read-note.js";
import type { CommitOfLine } from "./git-blame.js";

/** Where Git AI's authorship logs are. */
export const NOTES = "refs/notes/ai";

export async function noteText(root: string, commit: string): Promise<string | undefined> {
    const note = await runGit(root, ["notes", `--ref=${NOTES}`, "show", commit]);
    return note?.stdout.toString("utf8");
}

/** Who wrote these commits' lines according to their notes, on any machine. */
export async function notedAgents(
    root: string,
    lines: Iterable<CommitOfLine>
): Promise<(line: CommitOfLine) => NotedAgent | undefined> {
    const listing = (await runGit(root, ["notes", `--ref=${NOTES}`, "list"]))?.stdout ?? "";
    const noted = new Set(
        String(listing)
            .split("\n")
            .map((row) => row.split(" ")[1]?.slice(0, 10))
    );
    const notes = new Map<string, ReturnType<typeof readNote>>();
    for (const { commit } of lines) {
        if (!noted.has(commit) || notes.has(commit)) continue;
        notes.set(commit, readNote((await noteText(root, commit)) ?? ""));
    }
    return ({ commit, path, line }) => notes.get(commit)?.(path, line + 1);
}
