import { expect } from "chai";
import { anthropic } from "../../../src/builtin/providers/anthropic/index.js";
import type { ModelRequest, Usage } from "../../../src/plugin/index.js";
import { priceOf } from "../../../src/core/costs/price.js";
import { checkReply } from "../../../src/plugin-testing/index.js";
import * as messages from "../../helpers/vendors/messages-server.js";
import * as responses from "../../helpers/vendors/responses-server.js";
import { collect, modelNamed, requestWith, userSays } from "./support.js";
import * as openai from "./openai/support.js";

const SEARCH: Partial<ModelRequest> = { tools: [], webSearch: { maxSearches: 3 } };
const PAGE = { url: "https://example.org/a", title: "A page" };
const searched = (...queries: readonly string[]) => ({
    type: "web-search",
    ...{ queries, sources: [] },
});
const citing = (...sources: readonly object[]) => ({ type: "web-search", queries: [], sources });

// Gemini's searches: plugins/north-provider-google/test/google.test.ts
describe("Web search of a vendor", () => {
    it("Anthropic's searches, citations and count are reported, and no other request names the tool", async () => {
        const server = await messages.startMessagesServer({
            script: [
                {
                    ...messages.reply(
                        messages.searchCall("srvtoolu_1", "node lts"),
                        messages.searchResult("srvtoolu_1", [PAGE]),
                        messages.searchCall("srvtoolu_2", "x".repeat(300)),
                        messages.searchResult("srvtoolu_2", "query_too_long"),
                        messages.cited("Node 24.", PAGE)
                    ),
                    usage: { server_tool_use: { web_search_requests: 1 } },
                },
                messages.reply(messages.text("Hi.")),
            ],
        });
        const connection = await anthropic.connect({ apiKey: "key", baseURL: server.url });
        const reply = await collect(connection, requestWith(SEARCH));
        checkReply(reply.events);
        const events = reply.events.filter(({ type }) => type === "web-search");
        expect(events).to.deep.equal([
            searched("node lts"),
            searched("x".repeat(300)),
            citing(PAGE),
        ]);
        expect(reply.usage.webSearches).to.equal(1);
        expect(reply.text).to.equal("Node 24.");
        expect(server.requests[0]?.body.tools).to.deep.include({
            ...{ type: "web_search_20250305", name: "web_search", max_uses: 3 },
        });
        const plain = await collect(connection, requestWith({ tools: [] }));
        expect(plain.usage).not.to.have.property("webSearches");
        expect(server.requests[1]?.body).not.to.have.property("tools");
        await server.close();
        server.assertDone();
    });

    it("OpenAI's searches are reported, and only they are counted", async () => {
        const server = await responses.startResponsesServer({
            script: [
                responses.reply(
                    responses.reasoning("rs_1", "sealed"),
                    responses.searchCall("ws_1", { type: "search", queries: ["a", "b"] }),
                    responses.searchCall("ws_2", { type: "search", query: "c" }),
                    responses.searchCall("ws_3", { type: "search", query: "d" }, "failed"),
                    responses.searchCall("ws_4", { type: "open_page", url: PAGE.url }),
                    responses.cited("Node 24.", PAGE.url, PAGE.title)
                ),
                responses.reply(responses.text("Again.")),
            ],
        });
        const connection = await openai.connectTo(server.url);
        const question = userSays("Which Node?");
        const request = openai.requestWith({ ...SEARCH, messages: [question] });
        const reply = await openai.collect(connection, request);
        checkReply(reply.events);
        const events = reply.events.filter(({ type }) => type === "web-search");
        expect(events).to.deep.equal([searched("a", "b"), searched("c"), citing(PAGE)]);
        expect(reply.usage.webSearches).to.equal(2);
        const { body } = server.requests[0]!;
        expect(body).to.deep.include({ max_tool_calls: 3, tools: [{ type: "web_search" }] });

        // Reasoning needs the item that followed it.
        const again = [question, reply.message, userSays("Sure?")];
        await openai.collect(connection, { ...request, messages: again });
        const sent = server.requests[1]!.body.input.filter(
            ({ type }) => type === "web_search_call"
        );
        expect(sent.map(({ id }) => id)).to.deep.equal(["ws_1", "ws_2", "ws_3", "ws_4"]);
        await server.close();
        server.assertDone();
    });

    it("A model whose lowest effort allows no search searches with the next one", async () => {
        const server = await responses.startResponsesServer({
            script: [responses.reply(responses.text("Hi."))],
        });
        const connection = await openai.connectTo(server.url);
        const model = openai.modelNamed("gpt-5-mini");
        const request = openai.requestWith({ ...SEARCH, model, thinking: false });
        await openai.collect(connection, request);
        await server.close();
        server.assertDone();
    });

    it("Searches cost their price besides the tokens, in every band and tier, and unknown if that is", () => {
        const usage: Usage = { inputTokens: 1_000, webSearches: 3 };
        const long: Usage = { ...usage, inputTokens: 500_000 };
        const haiku = modelNamed("claude-haiku-5-5");
        expect(priceOf(usage, haiku)).to.be.closeTo(0.03 + 0.0001, 1e-12);
        expect(priceOf(long, haiku)).to.be.closeTo(0.03 + 0.25, 1e-12);
        const { webSearch: _, ...prices } = haiku.prices!;
        expect(priceOf(usage, { ...haiku, prices })).to.equal(null);
        expect(priceOf({ inputTokens: 1_000 }, { ...haiku, prices })).to.be.closeTo(0.0001, 1e-12);
        const luna = openai.modelNamed("gpt-6-luna");
        expect(luna.prices?.flex?.webSearch).to.equal(luna.prices?.webSearch);
    });
});
