import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import path from "node:path";
import { expect } from "chai";
import { connect } from "../../../src/builtin/providers/anthropic/connect.js";
import { anthropic } from "../../../src/builtin/providers/anthropic/index.js";
import { runTurn } from "../../../src/core/agent/turn/run-turn.js";
import { TurnStopped, type Turn } from "../../../src/core/agent/turn.js";
import type { TurnOutcome } from "../../../src/core/agent/events.js";
import { ConversationLog } from "../../../src/core/conversation/conversation-log.js";
import { silentLog } from "../../../src/core/log.js";
import type { ModelConnection } from "../../../src/plugin/index.js";
import { createConversationStore } from "../../../src/storage/conversations/conversations.js";
import { createLedger } from "../../../src/storage/costs/ledger.js";
import { ScriptedModel } from "../../helpers/scripted-model.js";
import { turnHarness } from "../../helpers/turn.js";
import {
    failure,
    reply,
    startMessagesServer,
    text,
    type MessagesServer,
    type Reply,
    type VendorRequest,
} from "../../helpers/vendors/messages-server.js";
import { temporaryFolder } from "../../storage/temporary-folder.js";

const TURNS = 300;
const OUTAGE_AT = 60;
const OUTAGE_MS = 60_000;
const RATE_LIMIT_AT = 120;
const FULL_BEFORE = 180;
const FULL_DURING = 190;
const CLOSED_AT = 240;

const SUMMARY = {
    goal: "Answer",
    decisions: ["Go on"],
    constraints: [],
    openTasks: [],
    importantFiles: [],
};
const JSON_TEXT = JSON.stringify(SUMMARY);
const FORMS = [
    JSON_TEXT,
    `Here it is:\n\`\`\`json\n${JSON_TEXT}\n\`\`\``,
    JSON_TEXT.replace("}", ",}"),
    '{"goal": "Answer", "decisions": ["Go on", "and th',
    "We answer questions, one after the other.",
    "",
];

const FILLER = "of some length, so that the context fills up from turn to turn. ".repeat(12);
const question = (turn: number) => `Question <${turn}> ${FILLER}`;
const answer = (turn: number) => `Answer <${turn}> ${FILLER}`;
const isSummary = ({ tools = [] }: VendorRequest) => tools.length === 0;

const [sonnet] = anthropic.models;
const model = { ...sonnet!, contextTokens: 20_000, maxOutputTokens: 1_000 };

describe("Conversation of 300 turns", () => {
    const folder = temporaryFolder();
    const { writeSync } = fs;
    let server: MessagesServer;
    let connection: ModelConnection;
    let log: ConversationLog;
    let stop = new AbortController();
    let clock = 1_000_000;
    let turn = 0;
    let summaries = 0;
    let outageEnd = 0;
    let rateLimits = 0;
    /** Turns whose whole answer was sent, and how often. */
    const billed = new Map<number, number>();
    let billedSummaries = 0;

    afterEach(async () => {
        setDisk("free");
        await server.close();
    });

    function setDisk(state: "full" | "free"): void {
        fs.writeSync =
            state === "free"
                ? writeSync
                : () => {
                      throw Object.assign(new Error("no space"), { code: "ENOSPC" });
                  };
        syncBuiltinESMExports();
    }

    function script({ body }: { readonly body: VendorRequest }): Reply {
        const input_tokens = Math.round(JSON.stringify(body).length / 4);
        const usage = { input_tokens, output_tokens: 200 };
        if (isSummary(body)) {
            billedSummaries += 1;
            summaries += 1;
            return { ...reply(text(FORMS[summaries % FORMS.length]!)), usage };
        }
        if (turn === OUTAGE_AT && outageEnd === 0) outageEnd = clock + OUTAGE_MS;
        if (clock < outageEnd) return { isResetAtOnce: true };
        if (turn === RATE_LIMIT_AT && (rateLimits += 1) <= 2) {
            return failure(429, "rate_limit_error", "Slow down", { "retry-after": "30" });
        }
        if (turn === FULL_DURING && !billed.has(turn)) setDisk("full");
        billed.set(turn, (billed.get(turn) ?? 0) + 1);
        const whole = { ...reply(text(answer(turn))), usage };
        if (turn !== CLOSED_AT || billed.get(turn)! > 1) return whole;
        return { ...whole, interruption: { afterEvents: 4, how: "stall" } };
    }

    function turnOf(words: string): Turn {
        const ledger = createLedger({ dataFolder: folder() });
        return turnHarness(new ScriptedModel([]), [], {
            conversation: log,
            provider: anthropic,
            model,
            connection,
            schemas: [{ name: "none", description: "None.", inputSchema: { type: "object" } }],
            ledger,
            runtime: {
                now: () => clock,
                id: () => `id-${Math.random().toString(16).slice(2)}`,
                random: () => 0.5,
                sleep: async (milliseconds) => void (clock += milliseconds),
            },
            signal: stop.signal,
            message: { text: words, content: [{ type: "text", text: words }] },
        }).turn;
    }

    const store = () => createConversationStore(folder());

    async function begin(id?: string): Promise<void> {
        const start = {
            id: id ?? store().newId(),
            root: "/project",
            provider: "anthropic",
            model: model.id,
        };
        const open = async () => {
            if (id === undefined) {
                const { journal, started } = await store().start(start);
                return { journal, records: [started] };
            }
            const journal = await store().open(id);
            return { journal, records: (await store().read(id)).records };
        };
        log = new ConversationLog(start.id, { open, observers: [], log: silentLog });
        await log.begin();
    }

    /** One turn; the terminal is closed when the first words of its answer were shown. */
    async function answered(): Promise<TurnOutcome> {
        let outcome: TurnOutcome | undefined;
        for await (const event of runTurn(turnOf(question(turn)))) {
            const isClosed = turn === CLOSED_AT && billed.get(turn) === 1;
            if (isClosed && event.type === "text-delta") stop.abort(new TurnStopped("cancelled"));
            if (event.type === "turn-finished") ({ outcome } = event);
        }
        return outcome!;
    }

    /** Sends a question, again after a failure that the user has put right. */
    async function say(): Promise<TurnOutcome> {
        if (turn === FULL_BEFORE) setDisk("full");
        const first = await answered();
        if (first.stopReason === "end") return first;
        setDisk("free");
        if (turn === CLOSED_AT) {
            await log.close(clock);
            stop = new AbortController();
            await begin(log.id);
        }
        return answered();
    }

    it("An outage, a rate limit, a full disk, a closed terminal and six forms of summaries lose nothing, and nothing is paid twice", async () => {
        server = await startMessagesServer({ script, apiKey: "k" });
        connection = await connect({ apiKey: "k", baseURL: server.url });
        await begin();
        for (turn = 1; turn <= TURNS; turn += 1) {
            const { stopReason, text: said } = await say();
            expect([turn, stopReason, said.trim()]).to.deep.equal([
                turn,
                "end",
                answer(turn).trim(),
            ]);
        }
        await log.close(clock);
        expect(server.problems).to.deep.equal([]);
        expect(summaries).to.be.at.least(FORMS.length);
        expect(rateLimits).to.equal(3);

        const { records, warnings } = await store().read(log.id);
        expect(warnings).to.deep.equal([]);
        const stored = JSON.stringify(records);
        for (let each = 1; each <= TURNS; each += 1) {
            expect(stored).to.contain(`Question <${each}>`).and.to.contain(`Answer <${each}>`);
        }
        // Only where the first answer was under way when the disk or the terminal failed.
        const twice = [...billed].filter(([, times]) => times > 1);
        expect(twice).to.deep.equal([
            [FULL_DURING, 2],
            [CLOSED_AT, 2],
        ]);
        const lines = fs
            .readFileSync(path.join(folder(), "costs.jsonl"), "utf8")
            .trim()
            .split("\n");
        const requests = [...billed.values()].reduce((sum, times) => sum + times, billedSummaries);
        // The full disk took no line about the answer that it took nothing of.
        expect(lines).to.have.length(requests - 1);
    });
});
