import type { FileChange, Finding } from "../../plugin/index.js";

/** Parses `a.ts:3:5: text`, `a.ts(3,5): text`, and `3:5 text` below a line with the file's name. */
export function findingsIn(
    output: string,
    root: string,
    paths: readonly string[]
): readonly Finding[] {
    const names = [...paths]
        .sort((one, other) => other.length - one.length)
        .flatMap((path) => [`${root}/${path}`, `./${path}`, path].map((name) => ({ path, name })));
    const findings: Finding[] = [];
    let below: string | undefined;
    for (const line of output.split("\n").map((each) => each.trimEnd())) {
        const named = names.find(({ name }) => line.startsWith(name));
        const location = named ? line.slice(named.name.length) : line.trimStart();
        const path = named?.path ?? (line === location ? undefined : below);
        if (named && location === "") below = named.path;
        const found = (named ? /^[:(](\d+)[:,)]/ : /^(\d+):/).exec(location);
        if (!found || path === undefined) continue;
        const said = location.slice(found[0].length).replace(/^\d*[:)\s]*/, "");
        findings.push({ path, line: Number(found[1]), severity: "error", text: said });
    }
    return findings;
}

/** Findings that were not there before. Compared by line text, since edits move lines. */
export function newFindings(
    found: readonly Finding[],
    before: readonly Finding[],
    changes: readonly FileChange[]
): readonly Finding[] {
    const keyIn = (side: "before" | "after") => {
        const lines = new Map(
            changes.map((change) => [
                change.path,
                String(Buffer.from(change[side] ?? "")).split("\n"),
            ])
        );
        return ({ path, line = 0, text }: Finding) =>
            JSON.stringify([path, lines.get(path)?.[line - 1]?.trim(), text]);
    };
    const known = before.map(keyIn("before"));
    const keyOf = keyIn("after");
    return found.filter((finding) => {
        const index = known.indexOf(keyOf(finding));
        if (index >= 0) known.splice(index, 1);
        return index < 0;
    });
}
