import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import type { JournalRecord } from "../src/plugin/records.js";
import { createConversationStore } from "../src/storage/conversations/conversations.js";
import { createObjectStore } from "../src/storage/files/object-store.js";
import { cleanEnvironment, median, program, wallTime, type BenchRow } from "./measure.js";
import { longLog } from "./resume.js";

const LINES = 300;
const TURNS_PER_EDIT = 20;
const BOUND_MS = 1_000;
const RUNS = 5;

/** History queries on a 50 MB log in which every 20th turn changed a line. */
export async function historyRows(): Promise<BenchRow[]> {
    const folder = realpathSync(mkdtempSync(path.join(tmpdir(), "north-bench-")));
    const root = path.join(folder, "project");
    mkdirSync(root);
    execFileSync("git", ["init", "-q"], { cwd: root });
    const data = path.join(folder, ".north");
    const store = createConversationStore(data);
    const lines = Array.from({ length: LINES }, (_, index) => `line ${index}`);
    const versions = new Map<string, string>();
    const version = () => {
        const text = `${lines.join("\n")}\n`;
        const hash = createHash("sha256").update(text).digest("hex");
        versions.set(hash, text);
        return hash;
    };
    let hash = version();
    const edits = (turn: number): readonly JournalRecord[] => {
        if (turn % TURNS_PER_EDIT !== 0) return [];
        const beforeHash = hash;
        lines[turn % LINES] = `edited in turn ${turn}`;
        hash = version();
        const base = { id: `c${turn}`, at: turn + 1, callId: `call-${turn}` };
        const files = [{ path: "a.ts", beforeHash, afterHash: hash }];
        return [{ type: "entry_added", entry: { kind: "change", ...base, files } }];
    };
    const { id, journal } = await longLog(store, root, edits);
    try {
        const contents = createObjectStore(data);
        await contents.putAll([...versions.values()].map((text) => Buffer.from(text)));
        writeFileSync(path.join(root, "a.ts"), versions.get(hash) ?? "");
        const options = { cwd: root, env: cleanEnvironment(folder) };
        const rows: BenchRow[] = [];
        for (const words of [["blame", "a.ts"], ["turns", id], ["who"], ["search", "turn 100"]]) {
            const times: number[] = [];
            for (let run = 0; run < RUNS; run += 1) {
                times.push(await wallTime(process.execPath, [program, ...words], options));
            }
            const value = median(times);
            rows.push({
                what: `north ${words[0]} on a 50 MB log`,
                value: `${(value / 1_000).toFixed(2)} s`,
                bound: "1 s",
                ok: value <= BOUND_MS,
            });
        }
        return rows;
    } finally {
        await journal.close();
        rmSync(folder, { recursive: true, force: true });
    }
}
