import { expect } from "chai";
import { answer } from "../helpers/answers.js";
import { ClaudeWorkplace } from "../helpers/claude-workplace.js";
import {
    cited,
    failure,
    type ReceivedRequest,
    type Reply,
    reply,
    searchCall,
    searchResult,
    text,
    toolUse,
} from "../helpers/vendors/messages-server.js";
import * as responses from "../helpers/vendors/responses-server.js";

const PAGE = { url: "https://nodejs.org/en/blog", title: "Node.js blog" };
const QUERY = "newest Node LTS";
const QUESTION = `Search the web for "${QUERY}"?`;

const isSearch = ({ body: { system } }: ReceivedRequest) =>
    JSON.stringify(system).includes("search the web");

/** Costs: Haiku 5.5 takes $0.10 and $0.50 per million tokens, and $0.01 a search. */
const usage = (searches: number) => ({
    ...{ input_tokens: 100_000, output_tokens: 1_000 },
    server_tool_use: { web_search_requests: searches },
});
const SEARCH_USD = 0.01 + 0.0005 + 0.01;

const found = (): Reply => ({
    ...reply(
        searchCall("srvtoolu_1", QUERY),
        searchResult("srvtoolu_1", [PAGE]),
        cited("Node 24 is the newest LTS.", PAGE)
    ),
    usage: usage(1),
});

/** The built program and the vendor's server on loopback, which refuses what the vendor refuses. */
describe("web_search", () => {
    let place: ClaudeWorkplace;

    beforeEach(() => {
        place = new ClaudeWorkplace({ "README.md": "A clock.\n" }).reusingProcess();
        place.configure({ webSearch: true });
    });
    afterEach(() => place.remove());

    /** The model searches in each turn, and answers when it has the result. */
    const serve = (search: (request: ReceivedRequest) => Reply = found) =>
        place.serve((request) => {
            if (isSearch(request)) return search(request);
            const { messages } = request.body;
            const isAnswered = messages.at(-1)!.content.some(({ type }) => type === "tool_result");
            if (isAnswered) return { ...reply(text("Use Node 24.")), usage: usage(0) };
            const call = toolUse(`toolu_${messages.length}`, "web_search", { query: QUERY });
            return { ...reply(call), usage: usage(0) };
        });
    const searches = () => place.server.requests.filter(isSearch);
    /** What the model was told by the last call. */
    const told = () => {
        const results = place.server.requests
            .flatMap(({ body }) => body.messages.at(-1)!.content)
            .filter(({ type }) => type === "tool_result");
        return String(results.at(-1)?.content);
    };
    const print = (...args: readonly string[]) =>
        place.run(["-p", "Which Node?", "--output-format", "json", ...args]);

    it("The chat asks as for a page, shows what was searched with its sources and price, and remembers a yes", async () => {
        await serve();
        const chat = await place.chat();
        chat.type("Which Node?\r");
        await chat.waitFor(QUESTION);
        await chat.waitFor("Anthropic runs it, at $10.00 per 1,000 searches besides the tokens.");
        expect(searches()).to.have.length(0);
        await answer(chat, "always");
        await chat.waitFor("Use Node 24.");
        const screen = chat.screen();
        expect(screen).to.contain(`Searching the web: "${QUERY}" · 1 search · $0.02`);
        expect(screen).to.contain(`${PAGE.title}: ${PAGE.url}`);
        expect(told()).to.contain("Node 24 is the newest LTS.").and.to.contain(PAGE.url);
        expect(searches()[0]?.body.tools).to.deep.equal([
            { type: "web_search_20250305", name: "web_search", max_uses: 5 },
        ]);
        chat.type("/exit\r");
        await chat.exit();

        const end = JSON.parse((await print("-c")).stdout);
        // Two requests of Sonnet 5.5, at $2 and $10 per million tokens, besides the search.
        expect(end.costUsd).to.be.closeTo(2 * (0.2 + 0.01) + SEARCH_USD, 1e-9);
        expect(end.usage.webSearches).to.equal(1);
        const costs = JSON.parse((await place.run(["costs", "--json"])).stdout);
        expect(costs.totalUsd).to.be.closeTo(2 * end.costUsd, 1e-9);
        expect(costs.unpricedRequests ?? 0).to.equal(0);
        // At another model's prices too, if that one can search.
        const prices = { input: 1, output: 1 };
        const limits = { contextTokens: 200_000, maxOutputTokens: 8_000 };
        const models = [
            { provider: "anthropic", id: "claude-plain", ...limits, prices },
            {
                provider: "anthropic",
                id: "claude-web",
                ...limits,
                prices: { ...prices, webSearch: 1 },
            },
        ];
        place.configure({ models });
        const as = async (model: string) =>
            JSON.parse((await place.run(["costs", "--json", "--as", model])).stdout).as.totalUsd;
        expect((await as("claude-web")) - (await as("claude-plain"))).to.be.closeTo(2, 1e-9);
        expect(place.server.problems).to.deep.equal([]);
    });

    it("Where nobody can be asked, nothing is searched, and the model is told so", async () => {
        await serve();
        const end = await print();
        expect(JSON.parse(end.stdout).result).to.equal("Use Node 24.");
        expect(searches()).to.have.length(0);
        expect(told()).to.contain("denied");
    });

    it("A no reaches the model with its reason, also in ask mode, and nothing is searched", async () => {
        await serve();
        const chat = await place.chat(["--mode", "ask"]);
        chat.type("Which Node?\r");
        await chat.waitFor(QUESTION);
        await answer(chat, "no", { reason: "Read .nvmrc instead." });
        await chat.waitFor("Use Node 24.");
        expect(searches()).to.have.length(0);
        expect(told()).to.contain("Read .nvmrc instead.");
    });

    it("A model that calls it without the setting is told that it cannot, and nobody is asked", async () => {
        place.configure({});
        await serve();
        const chat = await place.chat();
        chat.type("Which Node?\r");
        await chat.waitFor("Use Node 24.");
        expect(chat.screen()).not.to.contain(QUESTION);
        expect(told()).to.contain("The web cannot be searched here");
        expect(searches()).to.have.length(0);
    });

    it("Without the setting, and to sub-agents, it is not offered, and the rest is sent as ever", async () => {
        await place.serve((request) =>
            JSON.stringify(request.body.system).includes("looking something up") ||
            request.body.messages.length > 1
                ? reply(text("Found."))
                : reply(toolUse("toolu_1", "explore", { question: "Which Node?" }))
        );
        await print();
        const [, nested] = place.server.requests;
        const names = nested?.body.tools?.map(({ name }) => name);
        expect(names).to.contain("web_fetch").and.not.to.contain("web_search");

        const startOf = ({ body: { tools, system } }: ReceivedRequest) => ({ tools, system });
        const withSearch = startOf(place.server.requests[0]!);
        place.configure({});
        await place.serve(() => reply(text("Hi.")));
        await print();
        const without = startOf(place.server.requests[0]!);
        expect(without).to.deep.equal({
            ...withSearch,
            tools: withSearch.tools?.filter(({ name }) => name !== "web_search"),
        });
        expect(without.tools).to.have.length(withSearch.tools!.length - 1);
    });

    describe("allowed in this project", () => {
        beforeEach(async () => {
            await serve();
            const chat = await place.chat();
            chat.type("Which Node?\r");
            await chat.waitFor(QUESTION);
            await answer(chat, "always");
            await chat.waitFor("Use Node 24.");
            chat.type("/exit\r");
            await chat.exit();
        });

        it("A search that the vendor pauses is continued with the same bytes", async () => {
            const parts: readonly Reply[] = [
                { ...reply(searchCall("srvtoolu_1", QUERY)), stopReason: "pause_turn" },
                { ...reply(searchResult("srvtoolu_1", [PAGE]), searchCall("srvtoolu_2", "more")) },
                { ...found(), blocks: [searchResult("srvtoolu_2", "unavailable"), text("24.")] },
            ];
            let sent = 0;
            await serve(() => ({
                stopReason: sent < 2 ? "pause_turn" : "end_turn",
                ...parts[sent++],
            }));
            const end = await print();
            expect(JSON.parse(end.stdout).isError, end.stderr).to.equal(false);
            // The server compares each block with what it sent.
            expect(place.server.problems).to.deep.equal([]);
            expect(searches().map(({ body }) => body.messages.length)).to.deep.equal([1, 2, 3]);
            expect(told()).to.contain("24.");
        });

        it("An answer without a search is reported as one from memory", async () => {
            await serve(() => reply(text("Node 22, I think.")));
            await print();
            expect(told()).to.contain("Node 22, I think.").and.to.contain("from its memory");
        });

        it("A refused search ends the call and not the conversation", async () => {
            const said = "Web search is not enabled for this organization.";
            await serve(() => failure(400, "invalid_request_error", said));
            const end = await print();
            expect(JSON.parse(end.stdout).result).to.equal("Use Node 24.");
            expect(told()).to.contain(said);
        });

        it("An overloaded search goes to no fallback, which would answer from memory", async () => {
            const other = await responses.startResponsesServer({ script: [] });
            place.configure({ webSearch: true, fallbackModels: ["gpt-6-luna"] });
            const wait = { "retry-after": "700" };
            await serve(() => failure(529, "overloaded_error", "Overloaded", wait));
            const env = { OPENAI_API_KEY: "a-key", OPENAI_BASE_URL: other.url };
            const end = await place.run(["-p", "Which Node?", "--output-format", "json"], { env });
            await other.close();
            expect(JSON.parse(end.stdout).result).to.equal("Use Node 24.");
            expect(other.requests).to.have.length(0);
            expect(told()).to.contain("overloaded");
        });

        it("A cancel ends the search at once, and the conversation continues", async () => {
            let gate: Promise<unknown> | undefined = new Promise(() => {});
            await serve(() => ({ ...found(), ...(gate && { gate }) }));
            const chat = await place.chat();
            chat.type("Which Node?\r");
            await chat.waitUntil(() => searches().length === 1, "the search");
            chat.press("escape");
            await chat.waitFor("Cancelled");
            gate = undefined;
            chat.type("Again?\r");
            await chat.waitFor("Use Node 24.");
            expect(place.server.problems).to.deep.equal([]);
        });

        it("Another vendor gets the results as text, and a search there costs what that one charges", async () => {
            const vendor = await responses.startResponsesServer({
                script: ({ body: { tools = [], input } }) => {
                    if (tools.some(({ type }) => type === "web_search")) {
                        return responses.reply(
                            responses.searchCall("ws_1", { type: "search", queries: [QUERY] }),
                            responses.searchCall("ws_2", { type: "open_page", url: PAGE.url }),
                            responses.cited("Node 24.", PAGE.url, PAGE.title)
                        );
                    }
                    return input.at(-1)?.type === "function_call_output"
                        ? responses.reply(responses.text("Node 24 it is."))
                        : responses.reply(
                              responses.functionCall("call_1", "web_search", { query: QUERY })
                          );
                },
            });
            const env = { OPENAI_API_KEY: "a-key", OPENAI_BASE_URL: vendor.url };
            const end = await place.run(
                ["-p", "Sure?", "-c", "--model", "gpt-6.2-sol", "--output-format", "json"],
                { env }
            );
            await vendor.close();
            expect(vendor.problems).to.deep.equal([]);
            const { result, costUsd, usage: counted } = JSON.parse(end.stdout);
            expect(result).to.equal("Node 24 it is.");
            expect(JSON.stringify(vendor.requests[0]?.body.input)).to.contain(PAGE.url);
            expect(counted.webSearches).to.equal(1);
            // Per request 10 tokens in and 5 out: two of Sol, one of Luna.
            const tokens = 2 * (10 * 2 + 5 * 10) + (10 * 0.1 + 5 * 0.5);
            expect(costUsd).to.be.closeTo(0.01 + tokens / 1e6, 1e-9);
        });

        it("A search of unknown price makes the cost unknown, and the question says so", async () => {
            await serve();
            const end = await print("--model", "claude-sonnet-9");
            expect(JSON.parse(end.stdout).costUsd).to.equal(null);
            expect(JSON.parse(end.stdout).usage.webSearches).to.equal(1);
        });
    });
});
