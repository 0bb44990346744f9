import type { Finding } from "../../plugin/index.js";

const MOST_FINDINGS = 10;

/**
 * The lines of an output that name a place in a file: `a.ts:3:5: text` and `a.ts(3,5): text`, also below
 * a line with the file's name.
 */
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
        const place = named ? line.slice(named.name.length) : line.trimStart();
        const path = named?.path ?? (line === place ? undefined : below);
        if (named && place === "") below = named.path;
        const found = (named ? /^[:(](\d+)[:,)]/ : /^(\d+):/).exec(place);
        if (!found || path === undefined) continue;
        const said = place.slice(found[0].length).replace(/^\d*[:)\s]*/, "");
        findings.push({ path, line: Number(found[1]), severity: "error", text: said });
    }
    return findings.slice(0, MOST_FINDINGS);
}
