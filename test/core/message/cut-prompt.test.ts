import { readFileSync } from "node:fs";
import path from "node:path";
import { expect } from "chai";
import { Tiktoken } from "js-tiktoken/lite";
import o200k from "js-tiktoken/ranks/o200k_base";
import type { ModelEvent } from "../../../src/plugin/index.js";
import { cutPromptText } from "../../../src/core/message/cut-prompt.js";
import { ScriptedModel } from "../../helpers/scripted-model.js";
import { drain, turnHarness } from "../../helpers/turn.js";
import { requestWith, userSays } from "../../builtin/providers/support.js";

const answer = (inputTokens: number, cacheReadTokens = 0): ModelEvent[] => [
    { type: "text", text: "Done." },
    { type: "usage", usage: { inputTokens, cacheReadTokens, outputTokens: 5 } },
    { type: "stop", reason: "end" },
];

/** 12,600 pieces: five words, two of them with punctuation, and a line break. */
const system = "Say what changed, and why.\n".repeat(1_800);

async function noticesAfter(...script: ModelEvent[][]) {
    const { turn } = turnHarness(new ScriptedModel(script), [], { system });
    const notices: string[] = [];
    for (const _ of script) {
        const { events } = await drain(turn);
        notices.push(...events.flatMap((event) => (event.type === "notice" ? event.text : [])));
    }
    return notices;
}

describe("A server that reads less than was sent", () => {
    it("The first reply says how much was read and how to enlarge the window, once", async () => {
        const notices = await noticesAfter(answer(4_096), answer(4_096));
        expect(notices).to.have.length(1);
        expect(notices[0]).to.match(
            /^Scripted read only 4,096 of at least 1[12],\d\d\d tokens: it cut off .* \(Ollama: OLLAMA_CONTEXT_LENGTH or num_ctx; llama\.cpp: --ctx-size; LM Studio: context length\)\.$/
        );
    });

    for (const [name, reply] of [
        ["counts all of it", answer(14_401)],
        ["counts what came from its cache beside the rest", answer(801, 13_600)],
        ["counts nothing", answer(0)],
        ["counts only what its cache did not hold", answer(120)],
    ] as const) {
        it(`Nothing is said of a server that ${name}`, async () => {
            expect(await noticesAfter([...reply])).to.deep.equal([]);
        });
    }

    it("A count of exactly a small window is a cut where more is expected", async () => {
        const request = requestWith({ system, tools: [], messages: [userSays("Hi")] });
        expect(cutPromptText(request, { inputTokens: 13_312 }, "It")).to.match(
            /^It read only 13,312 of about 15,\d\d\d tokens/
        );
        expect(cutPromptText(request, { inputTokens: 13_313 }, "It")).to.equal(undefined);
        expect(cutPromptText(request, { inputTokens: 16_384 }, "It")).to.equal(undefined);
    });

    const files = ["src/core/agent/turn/run-turn.ts", "docs/security.md", "package.json"];
    let tokenizer: Tiktoken;
    before(() => (tokenizer = new Tiktoken(o200k)));
    for (const [name, text] of [
        ["Chinese", "世界你好。".repeat(2_000)],
        ["blank lines", " \n\n\t".repeat(100)],
        ...files.map((file) => [file, readFileSync(path.resolve(file), "utf8")] as const),
    ] as const) {
        it(`A real tokenizer's count of ${name} is never mistaken for a cut`, () => {
            const inputTokens = tokenizer.encode(text).length;
            const request = requestWith({ system: text, tools: [], messages: [] });
            const isWindow = inputTokens % 1_024 === 0;
            const counted = { inputTokens: isWindow ? inputTokens + 1 : inputTokens };
            expect(cutPromptText(request, counted, "It")).to.equal(undefined);
        });
    }
});
