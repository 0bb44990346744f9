import { expect } from "chai";
import { openTerminal, type PseudoTerminal } from "../helpers/pseudo-terminal.js";
import { PROGRAM } from "../helpers/north-program.js";
import type { PlainReply } from "../helpers/vendors/vendors.js";
import { VendorWorkplace } from "../helpers/vendors/vendor-workplace.js";

describe("Conversation across vendors", () => {
    let place: VendorWorkplace;
    let terminal: PseudoTerminal | undefined;
    let round = 0;

    /** Each vendor's first reply to a question thinks and calls, its second one answers. */
    function scriptOf(vendor: string): () => PlainReply {
        let isAsked = false;
        return () => {
            isAsked = !isAsked;
            if (!isAsked) return { parts: [{ text: `${vendor} has read it, ${round}.` }] };
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
        await terminal?.close();
        await place.remove();
    });

    /** One program, in which each of them is chosen in turn. */
    async function askInTurn(args: readonly string[], models: Record<string, string>) {
        terminal = openTerminal({
            command: process.execPath,
            args: [PROGRAM, ...args],
            cwd: place.repository,
            env: place.environment(),
            rows: 50,
        });
        await terminal.waitFor(/❯ *$/);
        for (const [vendor, model] of Object.entries(models)) {
            terminal.type(`For ${vendor} ${round}. /model ${model}\r`);
            await terminal.waitFor(new RegExp(`${vendor} has read it, ${round}\\.[^❯]*❯ *$`));
            round += 1;
        }
        terminal.type("/quit\r");
        expect(await terminal.exit()).to.include({ exitCode: 0 });
    }

    const lastRequest = (vendor: string) =>
        place.servers[vendor]?.requests.at(-1)?.raw.toString() ?? "no request";

    it("Every vendor accepts the conversation, with its own thinking and everybody's calls", async () => {
        await askInTurn([], {
            anthropic: "sonnet",
            openai: "gpt-6.2-sol",
            mistral: "mistral",
            google: "gemini",
            bedrock: "global.anthropic.claude-sonnet-5-5",
            house: "house/llama3",
        });
        const [id = ""] = place.conversationIds();
        const list = ["resume", id, "-p", "list files", "--model", "offline"];
        const { code, stdout, stderr } = await place.run(list);
        expect({ code, stderr }).to.deep.equal({ code: 0, stderr: "" });
        expect(stdout).to.include("a.txt");
        round += 1;
        await askInTurn(["resume", id], {
            mistral: "mistral",
            google: "gemini",
            bedrock: "global.anthropic.claude-sonnet-5-5",
            openai: "gpt-6.2-sol",
            anthropic: "sonnet",
            azure: "azure/gpt-6.2-sol",
            vertex: "vertex/gemini-3.8-flash",
        });
        for (const server of Object.values(place.servers)) server.assertDone();

        expect(place.conversationIds()).to.have.length(1);
        expect(lastRequest("anthropic"))
            .to.include("proofanthropic0")
            .and.include("proofanthropic11");
        expect(lastRequest("openai")).to.include("proofopenai1").and.include("proofopenai10");
        expect(lastRequest("mistral")).to.include("proofmistral2").and.include("proofmistral7");
        expect(lastRequest("google")).to.include("proofgoogle3").and.include("proofgoogle8");
        expect(lastRequest("bedrock")).to.include("proofbedrock4").and.include("proofbedrock9");
        expect(lastRequest("azure")).to.include("proofazure12");
        expect(lastRequest("vertex")).to.include("proofvertex13");
        for (const own of Object.keys(place.servers)) {
            const others = Object.keys(place.servers).filter((id) => id !== own);
            expect(lastRequest(own)).to.not.match(new RegExp(`(?:proof)(?:${others.join("|")})`));
            expect(lastRequest(own)).to.include("For openai 1.").and.include("I look.");
        }
    });
});
