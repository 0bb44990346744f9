import * as fs from "node:fs";
import path from "node:path";
import { expect } from "chai";
import {
    reply,
    startMessagesServer,
    text,
    type MessagesServer,
} from "../helpers/vendors/messages-server.js";
import { Workplace, type ProgramEnd, type RunOptions } from "../helpers/north-program.js";
import { textsIn } from "./requests.js";

describe("Input of print mode", () => {
    let place: Workplace;
    let server: MessagesServer;

    beforeEach(async () => {
        place = new Workplace();
        server = await startMessagesServer({ script: () => reply(text("ok")) });
    });
    afterEach(async () => {
        await server.close();
        await place.remove();
    });

    function run(args: readonly string[], stdin?: RunOptions["stdin"]): Promise<ProgramEnd> {
        const env = { ANTHROPIC_API_KEY: "test-key", ANTHROPIC_BASE_URL: server.url };
        return place.run(args, { env, ...(stdin === undefined ? {} : { stdin }) });
    }

    const prompt = () => textsIn(server.requests[0]?.body).at(-1);

    it("Piped text is appended to the prompt", async () => {
        const end = await run(["-p", "Explain this:"], { text: "première ligne\n二行目\n" });
        expect(end.code).to.equal(0);
        expect(prompt()).to.equal("Explain this:\n\npremière ligne\n二行目");
    });

    it("A file as standard input is appended to the prompt", async () => {
        const file = path.join(place.folder, "input.txt");
        fs.writeFileSync(file, "from a file\n");
        await run(["-p", "Explain this:"], { file });
        expect(prompt()).to.equal("Explain this:\n\nfrom a file");
    });

    it("An image as standard input is refused before a request, and text in another encoding is not", async () => {
        const file = path.join(place.folder, "input");
        const pixels = Buffer.from(Array.from({ length: 4_000 }, (_, index) => (index * 97) % 256));
        fs.writeFileSync(
            file,
            Buffer.concat([Buffer.from("\x89PNG\r\n\x1a\n\0\0", "latin1"), pixels])
        );
        const end = await run(["-p", "What is this?"], { file });
        expect(end.code).to.equal(1);
        expect(end.stderr).to.contain(
            "Standard input is not text.\n  --file PATH attaches an image"
        );
        expect(server.requests).to.deep.equal([]);
        fs.writeFileSync(file, Buffer.from("caf\xe9\n", "latin1"));
        expect((await run(["-p", "What is this?"], { file })).code).to.equal(0);
    });

    it("A pipe may hold the whole prompt", async () => {
        await run(["--print"], { text: "Only piped\n" });
        expect(prompt()).to.equal("Only piped");
    });

    it("A pipe that pauses loses nothing, with a prompt and without", async () => {
        const env = { ANTHROPIC_API_KEY: "test-key", ANTHROPIC_BASE_URL: server.url };
        for (const args of [["-p"], ["-p", "Look:"]]) {
            const program = place.start(args, { env, stdin: "open" });
            program.write("one\n");
            // Long enough for a reader that gives up early; nothing depends on it.
            await new Promise((resolve) => setTimeout(resolve, 400));
            program.write("two\n");
            program.finishInput();
            expect((await program.ended).code).to.equal(0);
            const said = textsIn(server.requests.at(-1)?.body).at(-1);
            expect(said).to.equal([...args.slice(1), "one\ntwo"].join("\n\n"));
        }
    });

    it("A pipe that stays open and silent is skipped with a notice", async () => {
        const end = await run(["-p", "Hello"], "open");
        expect(end.code).to.equal(0);
        expect(end.stdout).to.equal("ok\n");
        expect(end.stderr).to.equal("Standard input is open but silent; continuing without it.\n");
        expect(prompt()).to.equal("Hello");
    });

    it("Print mode without any prompt is wrong usage", async () => {
        for (const stdin of [undefined, { text: " \n" }]) {
            const end = await run(["-p"], stdin);
            expect(end.code).to.equal(2);
            expect(end.stdout).to.equal("");
            expect(end.stderr).to.match(/^No prompt given\.\n/);
        }
        expect(server.requests).to.deep.equal([]);
        expect(place.conversationIds()).to.deep.equal([]);
    });
});
