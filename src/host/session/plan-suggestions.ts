import { NorthError } from "../../base/north-error.js";
import { applyRecorded } from "../../core/agent/changes/apply-recorded.js";
import type { ReviewedDiff } from "../../core/review/reviewed-diff.js";
import type { FileChange, PlannedSuggestions, ReviewFinding } from "../../plugin/index.js";
import { isProtectedPath } from "../../plugin/protected-path.js";
import { currentFile } from "../../workspace/current-file.js";
import { undoHost } from "./conversation-services.js";
import type { HostSession } from "./session.js";

type Suggested = ReviewFinding & { readonly suggestion: string };

/** The suggestions that still fit the current files; `undefined` if there are none. */
export async function planSuggestions(
    session: HostSession,
    diff: ReviewedDiff,
    findings: readonly ReviewFinding[]
): Promise<PlannedSuggestions | undefined> {
    const suggested = findings.filter(hasSuggestion);
    const paths = [...new Set(suggested.map(({ path }) => path))];
    const planned = await Promise.all(
        paths.map((path) => {
            const own = suggested.filter((each) => each.path === path);
            return planFile(session.root, path, diff, own).catch(() => undefined);
        })
    );
    const changes = planned.flatMap((each) => each?.change ?? []);
    if (changes.length === 0) return undefined;
    const taken = planned.reduce((sum, each) => sum + (each?.taken ?? 0), 0);
    const host = undoHost(session);
    const changeSet = await host.project.applier.resolve({ changes });
    return {
        changeSet,
        omitted: suggested.length - taken,
        async apply() {
            await session.conversation.begin();
            const outcome = await applyRecorded(host, changeSet, {});
            if (outcome.kind === "applied") return;
            throw new NorthError(
                "changed-since",
                `Nothing was applied: ${outcome.paths.join(", ")} changed meanwhile.`
            );
        },
    };
}

function hasSuggestion(finding: ReviewFinding): finding is Suggested {
    return finding.suggestion !== undefined;
}

async function planFile(
    root: string,
    path: string,
    diff: ReviewedDiff,
    suggested: readonly Suggested[]
): Promise<{ readonly change: FileChange; readonly taken: number } | undefined> {
    const file = isProtectedPath(path) ? null : await currentFile(root, path);
    if (!file) return undefined;
    const lines = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })
        .decode(file.bytes)
        .split("\n");
    // From the end, so that earlier numbers stay right.
    const fromEnd = suggested.toSorted((a, b) => b.line - a.line);
    let [next, taken] = [Infinity, 0];
    for (const { line, endLine, suggestion } of fromEnd) {
        const now = lines.slice(line - 1, endLine);
        const reviewed = diff.linesOf(path, line, endLine) ?? [];
        const isSame =
            now.length === reviewed.length &&
            now.every((text, index) => text.replace(/\r$/, "") === reviewed[index]);
        if (!isSame || endLine >= next) continue;
        const ending = now[0]?.endsWith("\r") ? "\r" : "";
        const fresh = suggestion.split("\n").map((text) => text.replace(/\r$/, "") + ending);
        lines.splice(line - 1, now.length, ...(suggestion === "" ? [] : fresh));
        [next, taken] = [line, taken + 1];
    }
    if (taken === 0) return undefined;
    const after = Buffer.from(lines.join("\n"));
    return { change: { path, before: file.bytes, beforeHash: file.hash, after }, taken };
}
