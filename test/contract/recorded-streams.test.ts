import { readFileSync } from "node:fs";
import path from "node:path";
import { expect } from "chai";
import type { ModelConnection, ModelEvent, Usage } from "../../src/plugin/index.js";
import { checkReply } from "../../src/plugin-testing/index.js";
import { requestWith } from "../builtin/providers/support.js";
import { KEY, type VendorSetup, VENDORS } from "../helpers/vendors/vendors.js";

// Streams as the vendors' references describe them; each says the same in its own words.

const vendorOf = (id: string): VendorSetup => {
    const vendor = VENDORS.find(({ provider }) => provider.id === id);
    if (vendor === undefined) throw new Error(`No vendor ${id}`);
    return vendor;
};

const PIECE = 61;
const WRITTEN = { inputTokens: 412, cacheReadTokens: 2048, cacheWriteTokens: 96 };

const RECORDED: readonly (readonly [string, VendorSetup, readonly [string, string], Usage])[] = [
    ["anthropic", vendorOf("anthropic"), ["toolu_01A", "toolu_01B"], WRITTEN],
    ["openai", vendorOf("openai"), ["call_01A", "call_01B"], WRITTEN],
    ["chat-completions", vendorOf("house"), ["call_01A", "call_01B"], WRITTEN],
    ["ollama", vendorOf("house"), ["call_01A", "call_01B"], { inputTokens: 2556 }],
    [
        "mistral",
        vendorOf("mistral"),
        ["AbCdEf01A", "AbCdEf01B"],
        { inputTokens: 508, cacheReadTokens: 2048 },
    ],
    [
        "google",
        vendorOf("google"),
        ["call_01A", "call_01B"],
        { inputTokens: 508, cacheReadTokens: 2048 },
    ],
];

/** A body that arrives in these pieces. */
function bodyOf(pieces: readonly Uint8Array[]): ReadableStream<Uint8Array> {
    const left = [...pieces];
    return new ReadableStream({
        pull(controller) {
            const next = left.shift();
            if (next === undefined) controller.close();
            else controller.enqueue(next);
        },
    });
}

for (const [name, vendor, [first, second], usage] of RECORDED) {
    describe(`Recorded stream ${name}`, () => {
        const bytes = readFileSync(path.resolve(`test/fixtures/streams/${name}.sse`));
        let pieces: readonly Uint8Array[] = [];
        let connection: ModelConnection;

        before(async () => {
            const headers = { "content-type": "text/event-stream" };
            connection = await vendor.connect({
                apiKey: KEY,
                baseURL: "http://127.0.0.1:9",
                fetch: async () => new Response(bodyOf(pieces), { headers }),
            });
        });

        async function received(...cuts: readonly number[]): Promise<readonly ModelEvent[]> {
            const ends = [...cuts, bytes.length];
            pieces = ends.map((end, index) => bytes.subarray(ends[index - 1] ?? 0, end));
            const { signal } = new AbortController();
            const events: ModelEvent[] = [];
            const request = requestWith({ model: vendor.model });
            for await (const event of connection.stream(request, { signal })) events.push(event);
            return events;
        }

        it("The stream is read in full", async () => {
            const events = await received();
            checkReply(events);
            const said = (type: "text" | "thinking") =>
                events.flatMap((event) => (event.type === type ? [event.text] : [])).join("");
            expect(said("thinking")).to.equal("Zwei Dateien, größer als 世界 🤔");
            expect(said("text")).to.equal("Ich lese beide: ä und 🌍.");
            const call = { type: "tool-call", name: "read_file" } as const;
            expect(events.filter(({ type }) => type === "tool-call")).to.deep.equal([
                { ...call, callId: first, input: { path: "ä.ts" } },
                { ...call, callId: second, input: { path: "日本.ts" } },
            ]);
            const counted = events.findLast((event) => event.type === "usage");
            expect(counted?.type === "usage" && counted.usage).to.include({
                ...usage,
                outputTokens: 87,
            });
            expect(events.at(-1)).to.deep.equal({ type: "stop", reason: "tool-calls" });
        });

        it("The stream is read alike byte by byte", async () => {
            const everywhere = [...bytes.keys()].slice(1);
            expect(await received(...everywhere)).to.deep.equal(await received());
        });

        it("The stream is read alike in any larger chunks", async () => {
            const whole = JSON.stringify(await received());
            // Together these cut it at every byte, each time amidst bytes that travel together.
            for (let first = 1; first <= PIECE; first += 1) {
                const cuts = [...bytes.keys()].filter(
                    (at) => at > 0 && at % PIECE === first % PIECE
                );
                const events = JSON.stringify(await received(...cuts));
                if (events !== whole) expect(events, `first cut at ${first}`).to.equal(whole);
            }
        });
    });
}
