import { expect } from "chai";
import {
    type ChatReply,
    type ChatServer,
    reply,
    says,
    startChatServer,
} from "../../../helpers/vendors/chat-completions-server.js";
import type { Message } from "../../../../src/plugin/index.js";
import { answersTo, userSays } from "../support.js";
import { collect, connectTo, requestWith } from "./support.js";

/** A chunk's delta with pieces of calls. */
const pieces = (...tool_calls: readonly object[]) => ({ tool_calls });

const TWO = [
    { name: "read_file", input: { path: "a" } },
    { name: "list_root", input: {} },
];
const ONE = TWO.slice(0, 1);

/** How servers stream calls, and the calls that are meant. */
const DIALECTS: readonly (readonly [string, readonly object[], readonly object[]])[] = [
    [
        "whole, all in one chunk",
        [
            pieces(
                { index: 0, id: "a", function: { name: "read_file", arguments: '{"path":"a"}' } },
                { index: 1, id: "b", function: { name: "list_root", arguments: "{}" } }
            ),
        ],
        TWO,
    ],
    [
        "in pieces with the id in the first only",
        [
            pieces({ index: 0, id: "a", function: { name: "read_file", arguments: "" } }),
            pieces({ index: 0, function: { arguments: '{"pa' } }),
            pieces({ index: 0, function: { arguments: 'th":"a"}' } }),
            pieces({ index: 1, id: "b", function: { name: "list_root", arguments: "{}" } }),
        ],
        TWO,
    ],
    [
        "in pieces that take turns",
        [
            pieces({ index: 0, id: "a", function: { name: "read_file" } }),
            pieces({ index: 1, id: "b", function: { name: "list_root" } }),
            pieces({ index: 0, function: { arguments: '{"path":' } }),
            pieces({ index: 1, function: { arguments: "{}" } }),
            pieces({ index: 0, function: { arguments: '"a"}' } }),
        ],
        TWO,
    ],
    [
        "with id, type and name repeated in every piece",
        [
            pieces({ index: 0, id: "a", function: { name: "read_file", arguments: '{"path"' } }),
            pieces({ index: 0, id: "a", function: { name: "read_file", arguments: ':"a"}' } }),
            pieces({ index: 0, id: "a", function: { name: "read_file", arguments: "" } }),
        ],
        ONE,
    ],
    [
        "with empty ids and names after the first piece",
        [
            pieces({ index: 0, id: "a", function: { name: "read_file", arguments: null } }),
            pieces({ index: 0, id: "", function: { name: "", arguments: '{"path":"a"}' } }),
            pieces({ index: 0, id: null, function: { name: null, arguments: "" } }),
        ],
        ONE,
    ],
    [
        "without index, in pieces",
        [
            pieces({ id: "a", function: { name: "read_file", arguments: "" } }),
            pieces({ function: { arguments: '{"path":' } }),
            pieces({ function: { arguments: '"a"}' } }),
            pieces({ id: "b", function: { name: "list_root", arguments: "{}" } }),
        ],
        TWO,
    ],
    [
        "without ids, in pieces",
        [
            pieces({ index: 0, function: { name: "read_file", arguments: "" } }),
            pieces({ index: 0, function: { arguments: '{"path":"a"}' } }),
            pieces({ index: 1, function: { name: "list_root", arguments: "{}" } }),
        ],
        TWO,
    ],
    [
        "without index and ids, whole",
        [
            pieces({ function: { name: "read_file", arguments: '{"path":"a"}' } }),
            pieces({ function: { name: "read_file", arguments: '{"path":"b"}' } }),
        ],
        [ONE[0]!, { name: "read_file", input: { path: "b" } }],
    ],
    [
        "without index, ids and arguments",
        [
            pieces({ function: { name: "list_root", arguments: "" } }),
            pieces({ function: { name: "hotfiles" } }),
        ],
        [
            { name: "list_root", input: {} },
            { name: "hotfiles", input: {} },
        ],
    ],
    [
        "whole, each with the index 0",
        [
            pieces({
                index: 0,
                id: "a",
                function: { name: "read_file", arguments: '{"path":"a"}' },
            }),
            pieces({ index: 0, id: "b", function: { name: "list_root", arguments: "{}" } }),
        ],
        TWO,
    ],
    [
        "without arguments, each with the index 0",
        [
            pieces({ index: 0, id: "a", function: { name: "list_root", arguments: "" } }),
            pieces({ index: 0, id: "b", function: { name: "list_root", arguments: "" } }),
        ],
        [
            { name: "list_root", input: {} },
            { name: "list_root", input: {} },
        ],
    ],
    [
        "whole, each with the index 0 and without ids",
        [
            pieces({ index: 0, function: { name: "read_file", arguments: '{"path":"a"}' } }),
            pieces({ index: 0, function: { name: "list_root", arguments: "{}" } }),
        ],
        TWO,
    ],
    [
        "with arguments as an object",
        [
            pieces({
                index: 0,
                id: "a",
                function: { name: "read_file", arguments: { path: "a" } },
            }),
            pieces({ index: 1, id: "b", function: { name: "list_root", arguments: {} } }),
        ],
        TWO,
    ],
    [
        "with the role in every chunk",
        [
            {
                role: "assistant",
                ...pieces({ index: 0, id: "a", function: { name: "read_file" } }),
            },
            {
                role: "assistant",
                content: null,
                ...pieces({ index: 0, function: { arguments: '{"path":"a"}' } }),
            },
        ],
        ONE,
    ],
];

describe("Compatible dialects", () => {
    let server: ChatServer;

    async function collectFrom(...script: readonly ChatReply[]) {
        server = await startChatServer({ script });
        return collect(await connectTo(server.url));
    }

    afterEach(async () => {
        await server.close();
    });

    for (const [name, deltas, expected] of DIALECTS) {
        it(`Calls are read that come ${name}`, async () => {
            const { message, events, stop } = await collectFrom(reply(deltas));
            const found = message.content.map((part) =>
                part.type === "tool-call" ? { name: part.name, input: part.input } : part
            );
            expect(found).to.deep.equal(expected);
            expect(events.filter(({ type }) => type === "tool-call-start")).to.have.length(
                expected.length
            );
            const ids = message.content.map((part) =>
                part.type === "tool-call" ? part.callId : ""
            );
            expect(new Set(ids)).to.have.length(ids.length);
            expect(ids).to.not.include("");
            expect(stop).to.equal("tool-calls");
        });
    }

    it("Ids that restart in every reply become unique", async () => {
        const again = reply([
            pieces({ index: 0, id: "call_0", function: { name: "list_root", arguments: "{}" } }),
        ]);
        server = await startChatServer({ script: [again, again, reply(says("Done."))] });
        const connection = await connectTo(server.url);
        const messages: Message[] = [userSays("Hello")];
        for (let turn = 0; turn < 2; turn += 1) {
            const { message } = await collect(connection, requestWith({ messages }));
            messages.push(message, answersTo(message));
        }
        expect((await collect(connection, requestWith({ messages }))).text).to.equal("Done.");
        server.assertDone();
    });

    it("Long call ids are shortened alike for call and result", async () => {
        const id = `chatcmpl-tool-${"0".repeat(32)}`;
        server = await startChatServer({
            script: [
                reply([pieces({ index: 0, id, function: { name: "list_root", arguments: "{}" } })]),
                reply(says("Done.")),
            ],
        });
        const connection = await connectTo(server.url);
        const { message } = await collect(connection);
        expect(message.content[0]).to.include({ callId: id });
        const messages = [userSays("Hello"), message, answersTo(message)];
        await collect(connection, requestWith({ messages }));
        server.assertDone();
    });

    it("A call may end with `stop`, and an answer with `tool_calls`", async () => {
        const call = pieces({ index: 0, id: "a", function: { name: "list_root" } });
        expect((await collectFrom({ deltas: [call], finishReason: "stop" })).stop).to.equal(
            "tool-calls"
        );
        await server.close();
        const none = await collectFrom({ deltas: says("Hm"), finishReason: "tool_calls" });
        expect(none.stop).to.equal("end");
    });

    it("A stream may lack `[DONE]`", async () => {
        const found = await collectFrom({ deltas: says("Hi"), omitsDone: true });
        expect(found).to.include({ stop: "end", text: "Hi" });
    });

    it("Chunks may lack choices or a delta", async () => {
        const found = await collectFrom({
            first: [
                { prompt_filter_results: [] },
                { choices: [] },
                { choices: null },
                { choices: [{ index: 0, finish_reason: null }] },
                { choices: [{ index: 0, delta: null }] },
            ],
            deltas: [{ content: null }, ...says("Hi"), { content: "" }],
        });
        expect(found).to.include({ stop: "end", text: "Hi" });
    });

    it("Thinking may come after text, between calls and in both fields at once", async () => {
        const { message } = await collectFrom(
            reply([
                { reasoning: "One", reasoning_content: "One" },
                ...says("So."),
                { reasoning: "Two" },
                pieces({ index: 0, id: "a", function: { name: "list_root", arguments: "{}" } }),
            ])
        );
        const said = message.content.map((part) =>
            part.type === "tool-call" ? part.name : part.text
        );
        expect(said).to.deep.equal(["One", "So.", "Two", "list_root"]);
    });

    it("Thinking may be all that a reply contains", async () => {
        const { message } = await collectFrom(reply([{ reasoning_content: "Hm" }]));
        expect(message.content).to.have.length(1);
    });
});
