import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { answer } from "../test/helpers/answers.js";
import { ClaudeWorkplace, IDLE } from "../test/helpers/claude-workplace.js";
import { reply, text, toolUse } from "../test/helpers/vendors/messages-server.js";
import { sha256 } from "../src/base/sha256.js";
import { PROJECT_AS_IT_IS, type View } from "../src/core/draft/view.js";
import type { Workspace } from "../src/plugin/workspace.js";
import { openWorkspace } from "../src/workspace/open-workspace.js";
import { makeProject, run } from "./containment.js";
import { childrenTime, median, wholeProcessorTime, type BenchRow } from "./measure.js";

const FILES = 2_000;
const DRAFTED = 50;
const REVIEWED = 300;
const PAIRS = 21;
const LIMIT = { limit: 50 };
const LINES = "export const line = 1;\n".repeat(60);

/** What a draft costs: nothing if it is empty, little if it is not. */
export async function* draftRows(): AsyncGenerator<BenchRow> {
    const top = realpathSync(mkdtempSync(path.join(tmpdir(), "north-bench-drafts-")));
    try {
        yield* readRows(path.join(top, "read"));
        yield* runRows(path.join(top, "run"));
    } finally {
        rmSync(top, { recursive: true, force: true });
    }
    yield await reviewRow();
}

const nameOf = (file: number) => `d${file % 40}/file${file}.ts`;

/** Every 40th file changed. */
function draftOf(files: number): {
    readonly view: View;
    readonly contents: { get(hash: string): Promise<Uint8Array> };
} {
    const after = Buffer.from(`${LINES}// drafted\n`);
    const view = new Map(
        Array.from({ length: files }, (_, index) => {
            const name = nameOf(index * 40 + (index % 40));
            const modes = { modeBefore: 0o644, modeAfter: 0o644 };
            const hashes = { beforeHash: sha256(Buffer.from(LINES)), afterHash: sha256(after) };
            return [name, { path: name, ...hashes, ...modes }] as const;
        })
    );
    return { view, contents: { get: async () => after } };
}

function makeFiles(root: string): void {
    for (let file = 0; file < FILES; file += 1) {
        const place = path.join(root, nameOf(file));
        mkdirSync(path.dirname(place), { recursive: true });
        // Where no draft changes it.
        writeFileSync(place, file % 100 === 7 ? `${LINES}// needle\n` : LINES);
    }
}

const READS: readonly (readonly [string, (workspace: Workspace) => Promise<unknown>])[] = [
    [
        "200 reads",
        async (workspace) => {
            for (let file = 0; file < FILES; file += 10) await workspace.read(nameOf(file));
        },
    ],
    [
        "400 listed folders",
        async (workspace) => {
            for (let folder = 0; folder < 400; folder += 1) {
                await workspace.list(`d${folder % 40}`);
            }
        },
    ],
    ["20 searches for a text", searches("needle")],
    ["20 searches for a pattern", searches("needle+", { regex: true })],
];

function searches(query: string, options: { readonly regex?: boolean } = {}) {
    return async (workspace: Workspace) => {
        // Children's time is counted in hundredths of a second: few searches would be too coarse.
        for (let time = 0; time < 20; time += 1) {
            const { total } = await workspace.search(query, { ...LIMIT, ...options });
            if (total === 0) throw new Error("Nothing was found.");
        }
    };
}

async function* readRows(root: string): AsyncGenerator<BenchRow> {
    mkdirSync(root);
    makeFiles(root);
    const { view, contents } = draftOf(DRAFTED);
    const project = openWorkspace({ root });
    const empty = project.inView({ view: () => PROJECT_AS_IT_IS, contents });
    const drafted = project.inView({ view: () => view, contents });
    for (const [what, read] of READS) {
        const plain = () => read(project);
        const over = (other: Workspace, bound: number, place: string) =>
            ratioInPairs(`${what} through ${place}`, plain, () => read(other), bound);
        yield await over(empty, 1.01, "an empty draft");
        yield await over(drafted, 1.2, `a draft of ${DRAFTED} files`);
    }
}

/** The ratio of CPU times, and of wall times, of work done alternately. */
async function ratioInPairs(
    what: string,
    plain: () => Promise<unknown>,
    other: () => Promise<unknown>,
    bound: number
): Promise<BenchRow> {
    const pairs = await measured(plain, other);
    const ratio = (kind: keyof Cost) =>
        median(pairs.map(({ plain: one, other: two }) => two[kind] / one[kind]));
    return {
        what: `${what}, over the project's`,
        value: `${ratio("cpuMs").toFixed(3)} x CPU, ${ratio("wallMs").toFixed(3)} x`,
        bound: `${bound} x CPU`,
        ok: ratio("cpuMs") <= bound,
    };
}

interface Cost {
    readonly wallMs: number;
    /** Of this process, and of children to a hundredth of a second. */
    readonly cpuMs: number;
}

async function measured(plain: () => Promise<unknown>, other: () => Promise<unknown>) {
    const pairs: { readonly plain: Cost; readonly other: Cost }[] = [];
    await plain();
    await other();
    for (let pair = 0; pair < PAIRS; pair += 1) {
        // Each goes first as often as the other.
        const isSwapped = pair % 2 === 1;
        const first = await costOf(isSwapped ? other : plain);
        const second = await costOf(isSwapped ? plain : other);
        pairs.push(isSwapped ? { plain: second, other: first } : { plain: first, other: second });
    }
    return pairs;
}

async function costOf(work: () => Promise<unknown>): Promise<Cost> {
    const children = childrenTime();
    const before = process.cpuUsage();
    const begin = performance.now();
    await work();
    const wallMs = performance.now() - begin;
    const { user, system } = process.cpuUsage(before);
    return { wallMs, cpuMs: (user + system) / 1000 + childrenTime() - children };
}

async function* runRows(folder: string): AsyncGenerator<BenchRow> {
    const { root, home, containment } = await makeProject(folder, 20);
    makeFiles(root);
    const { view: files, contents } = draftOf(DRAFTED);
    const view = { files, contents };
    const none = () => run(containment, root, home, "true");
    const [spent, begin] = [childrenTime(), performance.now()];
    await run(containment, root, home, "true", { view, draft: "first" });
    yield {
        what: `the first contained run in a draft of ${DRAFTED} files`,
        value: `${(performance.now() - begin).toFixed(0)} ms, ${childrenTime() - spent} ms CPU`,
        bound: "none",
        ok: true,
    };
    const same = () => run(containment, root, home, "true", { view, draft: "bench" });
    yield moreInPairs("a contained run", await measured(none, same));
    // As after each edit: the draft is another one.
    let edits = 0;
    const after = Buffer.from(`${LINES}// edited\n`);
    const edited = () => {
        const name = nameOf((edits += 1) % 40);
        const changed = new Map(files).set(name, {
            path: name,
            beforeHash: sha256(Buffer.from(LINES)),
            afterHash: sha256(after),
            modeBefore: 0o644,
            modeAfter: 0o644,
        });
        const get = async (hash: string) => (hash === sha256(after) ? after : contents.get(hash));
        const shown = { files: changed, contents: { get } };
        return run(containment, root, home, "true", { view: shown, draft: "bench" });
    };
    yield moreInPairs("a contained run after an edit", await measured(none, edited));
    await containment.dispose();
}

function moreInPairs(what: string, pairs: Awaited<ReturnType<typeof measured>>): BenchRow {
    const more = (kind: keyof Cost) =>
        median(pairs.map(({ plain, other }) => other[kind] - plain[kind]));
    return {
        what: `${what} in a draft of ${DRAFTED} files, over one in none`,
        value: `${more("wallMs").toFixed(0)} ms more, ${more("cpuMs").toFixed(0)} ms CPU`,
        bound: "20 ms",
        ok: more("wallMs") <= 20,
    };
}

/** From the model's last word to the question. */
async function reviewRow(): Promise<BenchRow> {
    const names = Array.from({ length: REVIEWED }, (_, file) => nameOf(file));
    const place = new ClaudeWorkplace(Object.fromEntries(names.map((name) => [name, LINES])));
    const edits = names.map((name) => ({
        toolName: "edit_replace_exact",
        args: { path: name, old: `${LINES}`, new: `// drafted\n${LINES}` },
    }));
    const batches = Array.from({ length: 10 }, (_, index) =>
        reply(
            toolUse(`batch_${index}`, "edit_apply_batch", {
                edits: edits.slice(index * 30, (index + 1) * 30),
            })
        )
    );
    let asked = { at: 0, cpuMs: 0 };
    let pid = 0;
    await place.serve(({ body: { messages } }) => {
        const batch = batches[(messages.length - 1) / 2];
        if (batch) return batch;
        asked = { at: performance.now(), cpuMs: wholeProcessorTime(pid) };
        return reply(text("Done."));
    });
    try {
        const terminal = await place.chat(["--mode", "draft"]);
        pid = terminal.pid;
        terminal.type("Change all\r");
        await terminal.waitFor(/Apply this draft\?/);
        const ms = performance.now() - asked.at;
        const cpuMs = wholeProcessorTime(pid) - asked.cpuMs;
        await answer(terminal, "discard");
        await terminal.waitFor("Draft discarded.");
        await terminal.waitFor(IDLE);
        return {
            what: `the review of a draft of ${REVIEWED} files on the screen`,
            value: `${ms.toFixed(0)} ms, ${cpuMs.toFixed(0)} ms CPU`,
            bound: "1000 ms",
            ok: ms <= 1000,
        };
    } finally {
        await place.remove();
    }
}
