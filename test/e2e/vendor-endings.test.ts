import { expect } from "chai";
import type { PlainReply } from "../helpers/vendors/vendors.js";
import { VendorWorkplace } from "../helpers/vendors/vendor-workplace.js";

const MODELS = {
    anthropic: "sonnet",
    openai: "gpt-6.2-sol",
    house: "house/llama3",
    mistral: "mistral",
    google: "gemini",
    azure: "azure/gpt-6.2-sol",
} as const;

const half = [{ text: "So far" }];

/** How a reply ends, and what the person reads of it. */
const ENDINGS: readonly (readonly [string, PlainReply, RegExp])[] = [
    [
        "the conversation does not fit",
        {
            failure: {
                status: 400,
                said: "prompt is too long: it exceeds the maximum context length",
            },
        },
        /^The conversation no longer fits in the model's context\.\n.*`\/new`/,
    ],
    [
        "the answer is refused",
        { parts: half, end: "refused" },
        /^The model refused to answer(?:: .+)?\.\n {2}Rephrase it, or choose another model/,
    ],
    [
        "the answer is too long",
        { parts: half, end: "max-output" },
        /^The answer was cut off: it reached the model's limit for one reply\.\n {2}Ask the model to continue/,
    ],
    [
        "the answer is empty",
        {},
        /^The model's reply was empty; asking once more\.\nThe model's reply was empty twice\.\n {2}Send the message again/,
    ],
    [
        "the key is not accepted",
        { failure: { status: 401, said: "no such key" } },
        /does not accept the key: no such key\.?\n.*_KEY to a valid key, or unset it and .*north login/,
    ],
    [
        "the model is not served",
        { failure: { status: 404, said: "no such model" } },
        /refused the request: no such model\.?\n {2}Choose another model with \/model or --model\./,
    ],
];

describe("Unusual ends of a reply", () => {
    let place: VendorWorkplace;
    let next: (vendor: string) => PlainReply = () => ({});

    before(async () => {
        place = new VendorWorkplace().reusingProcess({ keepsPlugins: true });
        await place.serve((vendor) => () => next(vendor));
    });
    after(async () => {
        await place.remove();
    });

    for (const [name, reply, sentence] of ENDINGS) {
        it(`The user reads one sentence when ${name}`, async () => {
            next = () => reply;
            for (const [vendor, model] of Object.entries(MODELS)) {
                const end = await place.run(["-p", "Hi", "--model", model]);
                expect(end.stderr, vendor)
                    .to.match(sentence)
                    .and.not.match(/^ +at /m);
                expect(end.code, vendor).to.equal(1);
                expect(end.stdout, vendor).to.equal(reply.parts ? "So far\n" : "");
            }
        });
    }

    /** Each vendor's model makes this call, and answers with a text after it. */
    function callOnce(call: Extract<NonNullable<PlainReply["parts"]>[number], { callId: string }>) {
        const hasCalled = new Set<string>();
        next = (vendor) => {
            if (hasCalled.has(vendor)) return { parts: [{ text: "Fine." }] };
            hasCalled.add(vendor);
            return { parts: [call] };
        };
    }

    it("An unreadable call runs nothing, and the model is told so", async () => {
        const input = '{"command": "touch ran.txt"';
        const call = { callId: "call00001", name: "shell_run", input };
        callOnce(call);
        for (const [vendor, model] of Object.entries(MODELS)) {
            const end = await place.run(["-p", "Hi", "--model", model, "--approve-shell"]);
            expect(end, vendor).to.deep.include({ code: 0, stdout: "Fine.\n" });
            const answer = place.servers[vendor]?.requests.at(-1)?.raw.toString();
            expect(answer, vendor).to.include("malformed-input");
        }
        expect(place.files()).to.deep.equal({});
    });

    it("If a call gives a field twice, the last one counts, for the approval and the run", async () => {
        await place.run(["allowlist", "add", "touch allowed.txt"]);
        const input = '{"command": "touch allowed.txt", "command": "touch ran.txt"}';
        const call = { callId: "call00002", name: "shell_run", input };
        callOnce(call);
        for (const [vendor, model] of Object.entries(MODELS)) {
            const end = await place.run(["-p", "Hi", "--model", model]);
            expect(end.stderr, vendor).to.match(/^Denied: touch ran\.txt\. /m);
            const sent = place.servers[vendor]?.requests.at(-1)?.raw.toString();
            expect(sent, vendor).not.to.include("touch allowed.txt");
        }
        const made = Object.keys(place.files()).filter((name) => !name.startsWith(".north"));
        expect(made).to.deep.equal([]);
    });
});
