import { expect } from "chai";
import { NorthError } from "../../../../src/base/north-error.js";
import type { Fallback } from "../../../../src/core/agent/model-handle.js";
import type { Turn } from "../../../../src/core/agent/turn.js";
import { says, ScriptedModel, scriptedModelInfo } from "../../../helpers/scripted-model.js";
import { drain, turnHarness } from "../../../helpers/turn.js";

function failure(code: string, retryAfterMs = 0): Error {
    return new NorthError(code, `It failed (${code}).`, [], { retryable: true, retryAfterMs });
}

const overloaded = () => failure("overloaded");

function fallback(name: string, connection: ScriptedModel): Fallback {
    const info = { ...scriptedModelInfo, id: name, prices: { ...PRICES, input: 100 } };
    const model = { provider: connection.provider, info, thinking: { on: false }, connection };
    return { name, open: async () => ({ model, request: { system: `For ${name}`, schemas: [] } }) };
}

const PRICES = { input: 1, output: 0, asOf: "2026-11-22", source: "test" };
const WITHOUT_KEY: Fallback = {
    name: "without-key",
    open: async () => {
        throw new NorthError("no-api-key", "There is no API key.", []);
    },
};

function turnWith(model: ScriptedModel, fallbacks: Fallback[]) {
    const harness = turnHarness(model);
    const turn: Turn = { ...harness.turn, model: { ...harness.turn.model, fallbacks } };
    return { ...harness, turn };
}

async function run(turn: Turn) {
    const { events, outcome } = await drain(turn);
    const notices = events.flatMap((event) => (event.type === "notice" ? [event.text] : []));
    return { events, outcome, notices };
}

describe("Fallback models", () => {
    it("An overload that lasts three retries hands the turn to the next model", async () => {
        const model = new ScriptedModel([1, 2, 3, 4].map(() => [overloaded()]));
        const other = new ScriptedModel([says("Hello from the other.")]);
        const { turn, records, costs, delays } = turnWith(model, [fallback("other", other)]);
        const { outcome, notices } = await run(turn);
        expect(outcome).to.include({ stopReason: "end", text: "Hello from the other." });
        expect(delays).to.deep.equal([1_000, 2_000, 4_000]);
        expect(notices).to.have.length(1);
        expect(notices[0]).to.match(
            /^It failed \(overloaded\)\. Tried 4 times.*\. Continuing with other\.$/
        );
        expect(other.requests[0]?.system).to.equal("For other");
        expect(costs).to.have.length(1);
        expect(costs[0]).to.include({ model: "other" });
        const models = records.flatMap((record) =>
            record.type === "entry_added" && record.entry.kind === "assistant"
                ? [record.entry.model]
                : []
        );
        expect(models.at(-1)).to.equal("other");
        expect(models.slice(0, -1)).to.deep.equal([1, 2, 3, 4].map(() => scriptedModelInfo.id));
        model.assertDone();
    });

    it("A wait longer than that of the retries hands over at once", async () => {
        const model = new ScriptedModel([[failure("rate-limited", 31_000)]]);
        const other = new ScriptedModel([says("Hello.")]);
        const { turn, delays } = turnWith(model, [fallback("other", other)]);
        expect((await run(turn)).outcome.stopReason).to.equal("end");
        expect(delays).to.deep.equal([]);
    });

    it("A model without a key is named and skipped", async () => {
        const model = new ScriptedModel([[failure("rate-limited", 31_000)]]);
        const other = new ScriptedModel([says("Hello.")]);
        const { turn } = turnWith(model, [WITHOUT_KEY, fallback("other", other)]);
        const { outcome, notices } = await run(turn);
        expect(outcome.stopReason).to.equal("end");
        expect(notices[0]).to.equal(
            "The fallback model without-key cannot be used: There is no API key."
        );
    });

    for (const code of ["authentication", "invalid-request", "server-error", "network"]) {
        it(`Another failure, ${code}, uses no fallback`, async () => {
            const error = new NorthError(code, "It failed.", []);
            const other = new ScriptedModel([]);
            const { turn } = turnWith(new ScriptedModel([[error]]), [fallback("other", other)]);
            const { outcome } = await run(turn);
            expect(outcome).to.include({ stopReason: "error", error });
            expect(other.requests).to.deep.equal([]);
        });
    }

    it("The last fallback waits out an outage as a single model does", async () => {
        const model = new ScriptedModel([[failure("rate-limited", 31_000)]]);
        const other = new ScriptedModel([
            ...[1, 2, 3, 4, 5].map(() => [overloaded()]),
            says("At last."),
        ]);
        const { turn, delays } = turnWith(model, [fallback("other", other)]);
        expect((await run(turn)).outcome.text).to.equal("At last.");
        expect(delays).to.have.length(5);
    });

    it("A fallback with a smaller window gets a shorter conversation", async () => {
        const model = new ScriptedModel([[failure("rate-limited", 31_000)]]);
        const other = new ScriptedModel([says("Hello.")]);
        const { name, open } = fallback("other", other);
        const small: Fallback = {
            name,
            open: async () => {
                const opened = await open();
                const info = { ...opened.model.info, contextTokens: 2_000 };
                return { ...opened, model: { ...opened.model, info } };
            },
        };
        const { turn, conversation } = turnWith(model, [small]);
        for (const index of [1, 2, 3, 4, 5, 6]) {
            conversation.apply({
                type: "entry_added",
                entry: {
                    ...{ kind: "user", id: `u${index}`, at: 1, mode: "agent" },
                    ...{ text: "", content: [{ type: "text", text: "word ".repeat(400) }] },
                },
            });
        }
        const { notices } = await run(turn);
        expect(notices.join("\n")).to.match(/Continuing with other\.\nThe context is \d+% full/);
    });
});
