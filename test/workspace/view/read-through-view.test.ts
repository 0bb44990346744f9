import { expect } from "chai";
import fc from "fast-check";
import { cpSync, rmSync } from "node:fs";
import path from "node:path";
import type { Workspace } from "../../../src/plugin/workspace.js";
import { openWorkspace } from "../../../src/workspace/open-workspace.js";
import { patient } from "../../helpers/patience.js";
import { changesBetween, snapshot, steps, take } from "../../helpers/random-changes.js";
import { makeFolder, makeRepository, PROPERTY_RUNS, git } from "../make-folder.js";

const START = {
    ".gitignore": "*.log\nignored/\n",
    "a.ts": "export const needle = 1;\n",
    "src/a.ts": "needle in src\n",
    "src/deep/b.txt": "nothing here\nneedle\n",
    "docs/größe.md": "needle groß\r\n",
    "dist/out.js": "needle built\n",
    "x.log": "needle logged\n",
    ".env": "KEY=needle\n",
    "ignored/b.txt": "needle ignored\n",
};

/** What a call answers, or how it fails; without times, and with the root's name removed. */
async function answer(workspace: Workspace, ask: (workspace: Workspace) => Promise<unknown>) {
    const clean = (text: string) =>
        text.replaceAll(workspace.root, "ROOT").replaceAll(path.basename(workspace.root), "NAME");
    try {
        const given = await ask(workspace);
        return clean(
            JSON.stringify(given, (key, value: unknown) => {
                if (key === "modifiedAt") return undefined;
                return value instanceof Uint8Array ? Buffer.from(value).toString("hex") : value;
            }) ?? "nothing"
        );
    } catch (error) {
        return clean(String((error as { code?: string }).code) + String(error));
    }
}

const QUERIES = [
    { query: "needle", options: { limit: 5 } },
    { query: "needle", options: { limit: 100, contextLines: 1 } },
    { query: "ne+dle\\b", options: { limit: 3, regex: true } },
    { query: "needle", options: { limit: 100, path: "src" } },
    { query: "^needle$", options: { limit: 100, regex: true } },
];

/** Every method of a workspace on every path that either side has. */
function questions(
    paths: readonly string[],
    searches: number
): Map<string, (workspace: Workspace) => Promise<unknown>> {
    const all = new Map<string, (workspace: Workspace) => Promise<unknown>>();
    all.set("files", (workspace) => workspace.files());
    all.set("activity", (workspace) => workspace.activity());
    for (const pattern of ["*.ts", "src/**", "**/*.txt"]) {
        all.set(`find ${pattern}`, (workspace) => workspace.find(pattern, { limit: 3 }));
    }
    for (const [index, { query, options }] of QUERIES.slice(0, searches).entries()) {
        all.set(`search ${index}`, (workspace) => workspace.search(query, options));
    }
    for (const place of ["", ...paths, "src/a.ts/below", "a.ts/../src", "docs/a.ts/b.txt"]) {
        all.set(`status ${place}`, (workspace) => workspace.status(place));
        all.set(`read ${place}`, (workspace) => workspace.read(place));
        all.set(`lines ${place}`, (workspace) => workspace.readLines(place, { start: 1, end: 2 }));
        all.set(`list ${place}`, (workspace) => workspace.list(place));
        all.set(`ignored ${place}`, (workspace) => workspace.isIgnored(place, "file"));
        all.set(`ignored dir ${place}`, (workspace) => workspace.isIgnored(place, "dir"));
    }
    for (const place of paths.filter((_, index) => index % 4 === 0).slice(0, searches)) {
        all.set(`search in ${place}`, (workspace) =>
            workspace.search("needle", { limit: 3, file: place })
        );
    }
    return all;
}

for (const useRipgrep of [true, false]) {
    it(`Reading through a view equals reading a copy with its changes, ${useRipgrep ? "with" : "without"} ripgrep.`, async function () {
        this.timeout(patient(240_000));
        await fc.assert(
            fc.asyncProperty(steps(8), steps(8), async (first, second) => {
                const root = makeRepository(START);
                git(root, "add", "--force", "a.ts", "x.log", "docs");
                git(root, "commit", "--quiet", "--message=start");
                const copy = path.join(makeFolder(), path.basename(root));
                cpSync(root, copy, { recursive: true, verbatimSymlinks: true });
                let view = changesBetween(root, copy);
                const options = { useRipgrep };
                const source = {
                    view: () => view.changes,
                    contents: { get: (hash: string) => view.contents.get(hash) },
                };
                const inView = openWorkspace({ root, ...options }).inView(source);
                // Twice, because what was read before may be remembered.
                for (const taken of [first, second]) {
                    take(copy, taken);
                    view = changesBetween(root, copy);
                    const real = openWorkspace({ root: copy, ...options });
                    const paths = [
                        ...new Set([...snapshot(root).keys(), ...snapshot(copy).keys()]),
                    ];
                    for (const [name, ask] of questions(paths, useRipgrep ? 5 : 2)) {
                        expect(await answer(inView, ask), name).to.equal(await answer(real, ask));
                    }
                }
                for (const folder of [root, path.dirname(copy)]) {
                    rmSync(folder, { recursive: true });
                }
            }),
            { numRuns: useRipgrep ? Math.ceil(PROPERTY_RUNS / 10) : Math.ceil(PROPERTY_RUNS / 30) }
        );
    });
}
