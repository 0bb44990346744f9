import { expect } from "chai";
import type { ModelEvent, PlainTool } from "../../../../src/plugin/index.js";
import { calls, says, ScriptedModel } from "../../../helpers/scripted-model.js";
import { drain, turnHarness } from "../../../helpers/turn.js";

const look: PlainTool = {
    name: "look",
    description: "Looks.",
    inputSchema: { type: "object" },
    readOnly: true,
    approval: "none",
    intent: () => "Looking",
    execute: async () => ({ ok: true, data: "a" }),
};

const empty = (detail?: string): ModelEvent[] => [
    { type: "usage", usage: { inputTokens: 10, outputTokens: 1 } },
    { type: "stop", reason: "end", ...(detail === undefined ? {} : { detail }) },
];
const onlyThinking: ModelEvent[] = [
    { type: "thinking", text: "Hm" },
    { type: "thinking-end" },
    ...empty(),
];

async function outcomeOf(...script: ModelEvent[][]) {
    const model = new ScriptedModel(script);
    const { outcome, events } = await drain(turnHarness(model, [look]).turn);
    model.assertDone();
    const notices = events.flatMap((event) => (event.type === "notice" ? event.text : []));
    return { outcome, notices, model };
}

describe("An empty reply", () => {
    for (const [name, reply] of [
        ["nothing", empty()],
        ["only thinking", onlyThinking],
        ["white space", [{ type: "text", text: " \n" } as const, ...empty()]],
    ] as const) {
        it(`A reply of ${name} is asked for once more, with a note to the model`, async () => {
            const { outcome, notices, model } = await outcomeOf([...reply], says("Done."));
            expect(outcome).to.include({ stopReason: "end", text: "Done.", requests: 2 });
            expect(notices).to.deep.equal(["The model's reply was empty; asking once more."]);
            const last = model.requests[1]?.messages.at(-1);
            expect(last?.role).to.equal("user");
            expect(JSON.stringify(last)).to.include("Your reply was empty.");
        });
    }

    it("A second empty reply is an error with the server's reason", async () => {
        const { outcome } = await outcomeOf(empty(), empty("MALFORMED_FUNCTION_CALL"));
        expect(outcome.stopReason).to.equal("error");
        expect(outcome.error).to.include({
            code: "empty-reply",
            message:
                "The model's reply was empty twice. The server's reason: MALFORMED_FUNCTION_CALL.",
        });
    });

    it("Empty replies with work between them are each asked for again", async () => {
        const { outcome } = await outcomeOf(
            empty(),
            calls(["1", "look", {}]),
            empty(),
            says("Done.")
        );
        expect(outcome).to.include({ stopReason: "end", text: "Done." });
    });

    it("An unknown reason for the end of an answer is told", async () => {
        const odd: ModelEvent[] = [{ type: "text", text: "So far" }, ...empty("OTHER")];
        const { outcome, notices } = await outcomeOf(odd);
        expect(outcome).to.include({ stopReason: "end", text: "So far" });
        expect(notices).to.deep.equal([
            "The server ended the reply for a reason of its own: OTHER.",
        ]);
    });
});
