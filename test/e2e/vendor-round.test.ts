import * as fs from "node:fs";
import path from "node:path";
import { expect } from "chai";
import { buildSync } from "esbuild";
import { Workplace } from "../helpers/north-program.js";
import { KEY, type PlainReply, type SeatServer, SEATS } from "../helpers/vendor-seats.js";

const MISTRAL = path.resolve("plugins/north-provider-mistral");

/** The plugin as its package is built, linked as `north plugins link` does. */
function linkMistral(place: Workplace): void {
    const root = path.join(place.folder, "north-provider-mistral");
    const sources = fs.readdirSync(path.join(MISTRAL, "src"));
    const entryPoints = sources.map((name) => path.join(MISTRAL, "src", name));
    buildSync({ entryPoints, outdir: path.join(root, "dist"), format: "esm" });
    fs.copyFileSync(path.join(MISTRAL, "package.json"), path.join(root, "package.json"));
    fs.symlinkSync(path.resolve("node_modules"), path.join(root, "node_modules"));
    const plugins = [{ name: "north-provider-mistral", root, type: "link" }];
    const content = { name: "north-cli", private: true, oclif: { schema: 1, plugins } };
    fs.mkdirSync(place.data, { recursive: true });
    fs.writeFileSync(path.join(place.data, "package.json"), JSON.stringify(content));
}

describe("a conversation that moves from vendor to vendor", () => {
    let place: Workplace;
    let servers: Record<string, SeatServer>;
    let env: Record<string, string>;
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
        place = new Workplace({ "a.txt": "one\n" });
        linkMistral(place);
        round = 0;
        servers = {};
        // Then oclif's files live in the folder of North's own.
        env = { NORTH_DATA_DIR: place.data };
        for (const seat of SEATS) {
            const { id, keyVariable = "", baseURLVariable = "" } = seat.provider;
            const server = await seat.serve(scriptOf(id));
            servers[id] = server;
            env[keyVariable] = KEY;
            if (baseURLVariable !== "") env[baseURLVariable] = server.url;
        }
        const baseURL = servers.house?.url;
        const house = { baseURL, keyVariable: "HOUSE_KEY", models: ["llama3"] };
        const folder = path.join(place.home, ".config", "north");
        fs.mkdirSync(folder, { recursive: true });
        fs.writeFileSync(
            path.join(folder, "config.json"),
            JSON.stringify({ providers: { house } })
        );
    });
    afterEach(async () => {
        await Promise.all(Object.values(servers).map((server) => server.close()));
        await place.remove();
    });

    async function ask(prompt: string, model: string): Promise<string> {
        const [id] = place.conversationIds();
        const where = id === undefined ? ["chat"] : ["resume", id];
        const end = await place.run([...where, "-p", prompt, "--model", model], { env });
        expect({ code: end.code, stderr: end.stderr }, model).to.deep.equal({
            code: 0,
            stderr: "",
        });
        round += 1;
        return end.stdout;
    }

    const lastRequest = (vendor: string) =>
        servers[vendor]?.requests.at(-1)?.raw.toString() ?? "no request";

    it("is accepted by each of them, with its own thoughts and everybody's calls", async () => {
        expect(await ask("Read it.", "sonnet")).to.equal("anthropic has read it.\n");
        expect(await ask("You too.", "gpt-6.2-sol")).to.equal("openai has read it.\n");
        expect(await ask("And you.", "mistral")).to.equal("mistral has read it.\n");
        expect(await ask("And you.", "house/llama3")).to.equal("house has read it.\n");
        expect(await ask("list files", "offline")).to.include("a.txt");
        expect(await ask("Go on.", "mistral")).to.equal("mistral has read it.\n");
        expect(await ask("Go on.", "gpt-6.2-sol")).to.equal("openai has read it.\n");
        expect(await ask("Go on.", "sonnet")).to.equal("anthropic has read it.\n");
        for (const server of Object.values(servers)) server.assertDone();

        expect(place.conversationIds()).to.have.length(1);
        expect(lastRequest("anthropic"))
            .to.include("proofanthropic0")
            .and.include("proofanthropic7");
        expect(lastRequest("openai")).to.include("proofopenai1").and.include("proofopenai6");
        expect(lastRequest("mistral")).to.include("proofmistral2").and.include("proofmistral5");
        for (const own of Object.keys(servers)) {
            const others = Object.keys(servers).filter((id) => id !== own);
            expect(lastRequest(own)).to.not.match(new RegExp(`(?:proof)(?:${others.join("|")})`));
            expect(lastRequest(own)).to.include("You too.").and.include("I look.");
        }
    });
});
