import { expect } from "chai";
import type { PlainReply } from "../helpers/vendor-seats.js";
import { VendorWorkplace } from "../helpers/vendor-workplace.js";

describe("a conversation that moves from vendor to vendor", () => {
    let place: VendorWorkplace;
    let round = 0;

    /** Each vendor's first reply to a question thinks and calls, its second one answers. */
    function scriptOf(vendor: string): () => PlainReply {
        let isAsked = false;
        return () => {
            isAsked = !isAsked;
            if (!isAsked) return { parts: [{ text: `${vendor} has read it.` }] };
            const thought = { thought: `${vendor} ${round}`, proof: `proof${vendor}${round}` };
            const call = (index: number, input: object) => ({
                callId: `call0000${2 * round + index}`,
                name: index === 0 ? "read_file" : "list_root",
                input,
            });
            return {
                parts: [thought, { text: "I look." }, call(0, { path: "a.txt" }), call(1, {})],
            };
        };
    }

    beforeEach(async () => {
        round = 0;
        place = new VendorWorkplace({ "a.txt": "one\n" });
        await place.serve(scriptOf);
    });
    afterEach(async () => {
        await place.remove();
    });

    async function ask(prompt: string, model: string): Promise<string> {
        const [id] = place.conversationIds();
        const where = id === undefined ? ["chat"] : ["resume", id];
        const end = await place.run([...where, "-p", prompt, "--model", model]);
        expect({ code: end.code, stderr: end.stderr }, model).to.deep.equal({
            code: 0,
            stderr: "",
        });
        round += 1;
        return end.stdout;
    }

    const lastRequest = (vendor: string) =>
        place.servers[vendor]?.requests.at(-1)?.raw.toString() ?? "no request";

    it("is accepted by each of them, with its own thoughts and everybody's calls", async () => {
        expect(await ask("Read it.", "sonnet")).to.equal("anthropic has read it.\n");
        expect(await ask("You too.", "gpt-6.2-sol")).to.equal("openai has read it.\n");
        expect(await ask("And you.", "mistral")).to.equal("mistral has read it.\n");
        expect(await ask("And you.", "house/llama3")).to.equal("house has read it.\n");
        expect(await ask("list files", "offline")).to.include("a.txt");
        expect(await ask("Go on.", "mistral")).to.equal("mistral has read it.\n");
        expect(await ask("Go on.", "gpt-6.2-sol")).to.equal("openai has read it.\n");
        expect(await ask("Go on.", "sonnet")).to.equal("anthropic has read it.\n");
        for (const server of Object.values(place.servers)) server.assertDone();

        expect(place.conversationIds()).to.have.length(1);
        expect(lastRequest("anthropic"))
            .to.include("proofanthropic0")
            .and.include("proofanthropic7");
        expect(lastRequest("openai")).to.include("proofopenai1").and.include("proofopenai6");
        expect(lastRequest("mistral")).to.include("proofmistral2").and.include("proofmistral5");
        for (const own of Object.keys(place.servers)) {
            const others = Object.keys(place.servers).filter((id) => id !== own);
            expect(lastRequest(own)).to.not.match(new RegExp(`(?:proof)(?:${others.join("|")})`));
            expect(lastRequest(own)).to.include("You too.").and.include("I look.");
        }
    }).timeout(80_000);
});
