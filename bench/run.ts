// `npm run bench [NAME ...]`: measures the built program and prints each figure with its bound.
import type { BenchRow } from "./measure.js";

type Rows = Iterable<BenchRow> | AsyncIterable<BenchRow>;

const suites: Readonly<Record<string, () => Promise<Rows>>> = {
    "start-up": async () => (await import("./start-up.js")).startUpRows(),
    turns: async () => (await import("./turns.js")).turnRows(),
    search: async () => (await import("./search.js")).searchRows(),
    lists: async () => (await import("./lists.js")).listRows(),
    resume: async () => (await import("./resume.js")).resumeRows(),
    history: async () => (await import("./history.js")).historyRows(),
    prompt: async () => (await import("./prompt.js")).promptRows(),
    results: async () => (await import("./results.js")).resultRows(),
    "prompt-cache": async () => (await import("./prompt-cache.js")).promptCacheRows(),
    learning: async () => (await import("./learning.js")).learningRows(),
    "large-file": async () => (await import("./large-file.js")).largeFileRows(),
    chat: async () => (await import("./chat.js")).chatRows(),
    containment: async () => (await import("./containment.js")).containmentRows(),
    drafts: async () => (await import("./drafts.js")).draftRows(),
    freezes: async () => (await import("./freezes.js")).freezeRows(),
    "code-structure": async () => (await import("./code-structure.js")).codeStructureRows(),
};

/** Suites that take minutes; run only by name. */
const proofs: typeof suites = {
    "many-processes": async () => (await import("./many-processes.js")).manyProcessesRows(),
    "many-hands": async () => (await import("./many-hands.js")).manyHandsRows(),
    peers: async () => (await import("./peers.js")).peerRows(),
    "language-servers": async () => (await import("./language-servers.js")).languageServerRows(),
    kills: async () => (await import("./kills.js")).killRows(),
};

const all = { ...suites, ...proofs };
const chosen = process.argv.slice(2);
const unknown = chosen.filter((name) => !(name in all));
if (unknown.length > 0) {
    const names = Object.keys(all).join(", ");
    throw new Error(`No benchmark is called ${unknown.join(", ")}. There are ${names}.`);
}
for (const [name, measure] of Object.entries(all)) {
    if (chosen.length > 0 ? !chosen.includes(name) : name in proofs) continue;
    process.stdout.write(`\n${name}\n`);
    for await (const { what, value, bound, ok } of await measure()) {
        process.stdout.write(
            `  ${ok ? "ok  " : "OVER"}  ${what.padEnd(62)} ${value.padStart(22)}   bound ${bound}\n`
        );
    }
}
