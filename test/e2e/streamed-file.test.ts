import * as fs from "node:fs";
import path from "node:path";
import { expect } from "chai";
import {
    reply,
    startMessagesServer,
    text,
    thinking,
    type MessagesServer,
    type Reply,
} from "../helpers/vendors/messages-server.js";
import { eventually, Workplace } from "../helpers/north-program.js";
import { textsIn, unmarked } from "./requests.js";

const FILE = "src/long.ts";
const LINES = Array.from(
    { length: 400 },
    (_, index) => `export const value${index} = "—${index}—";`
);
const BEGINNING = LINES.slice(0, 250).map((line) => `${line}\n`);
const REST = LINES.slice(250).map((line) => `${line}\n`);
const WHOLE = [...BEGINNING, ...REST].join("");

/** The model is asked to begin with this line again, and does. */
const CUT_LINE = REST[0]?.slice(0, 20);

const opening = `<NORTH_FILE path="${FILE}">\n`;
const rest = reply(
    text(`<NORTH_FILE path="${FILE}" mode="append">\n${REST.join("")}</NORTH_FILE>\n`)
);
const closing = reply(text("It is written."));

/** Sent in pieces that cut tags, lines and characters. */
const inPieces = (said: string, more: Partial<Reply> = {}): Reply => ({
    ...reply(text(said)),
    pieceSizes: [7, 1, 31],
    ...more,
});

describe("Streamed files in the built program", () => {
    let place: Workplace;
    const servers: MessagesServer[] = [];

    beforeEach(() => {
        place = new Workplace({ "README.md": "# Project\n" });
    });
    afterEach(async () => {
        for (const server of servers.splice(0)) await server.close();
        await place.remove();
    });

    async function serve(...script: readonly Reply[]) {
        const server = await startMessagesServer({ script, apiKey: "test-key" });
        servers.push(server);
        return server;
    }

    const start = (server: MessagesServer, ...args: string[]) =>
        place.start(args, {
            env: { ANTHROPIC_API_KEY: "test-key", ANTHROPIC_BASE_URL: server.url },
        });

    const staged = () => {
        const [id = ""] = place.conversationIds();
        return path.join(place.data, "staging", id, FILE);
    };

    it("A streamed file is written as it came with accepted edits, and is not in the answer", async () => {
        const said = `A long one.\n${opening}${WHOLE}</NORTH_FILE>\n`;
        const server = await serve(inPieces(said), closing);
        const end = await start(server, "-p", "Write it", "--accept-edits").ended;
        expect(end).to.deep.equal({
            code: 0,
            signal: null,
            stdout: "It is written.\n",
            stderr: "",
        });
        expect(place.files()[FILE]).to.equal(WHOLE);
        server.assertDone();
        expect(textsIn(server.requests[1]?.body)).to.include(said);
        expect(fs.existsSync(staged())).to.equal(false);
    });

    it("A streamed file without approval is not written and leaves its target untouched", async () => {
        place.write(FILE, "old\n");
        const server = await serve(inPieces(`${opening}new\n</NORTH_FILE>`), closing);
        const end = await start(server, "-p", "Write it").ended;
        expect(end.stderr).to.contain(`Denied: ${FILE}. \`--accept-edits\` allows`);
        expect(place.files()).to.deep.equal({ "README.md": "# Project\n", [FILE]: "old\n" });
        expect(fs.existsSync(staged())).to.equal(false);
        server.assertDone();
    });

    it("A streamed file continues after the longest reply and a broken connection, by appending", async () => {
        const server = await serve(
            {
                ...reply(
                    thinking("A long one.", "signature"),
                    text(opening + BEGINNING.slice(0, 100).join(""))
                ),
                stopReason: "max_tokens",
            },
            inPieces(
                `<NORTH_FILE path="${FILE}" mode="append">\n${BEGINNING.slice(100).join("")}${CUT_LINE}`,
                { stopReason: null, interruption: { how: "end" } }
            ),
            rest,
            closing
        );
        const end = await start(server, "-p", "Write it", "--accept-edits").ended;
        expect({ code: end.code, stdout: end.stdout }).to.deep.equal({
            code: 0,
            stdout: "It is written.\n",
        });
        expect(end.stderr).to.contain("The text so far is kept; asking for the rest.");
        expect(place.files()[FILE]).to.equal(WHOLE);
        server.assertDone();
        const messages = server.requests.map(({ body }) => unmarked(body));
        for (const [index, before] of messages.slice(0, -1).entries()) {
            expect(messages[index + 1]?.slice(0, before.length)).to.deep.equal(before);
        }
    });

    it("A streamed file survives kill -9: it is staged, offered on resume and finished there", async () => {
        const stalled = await serve(
            inPieces(opening + BEGINNING.join(""), {
                stopReason: null,
                interruption: { how: "stall" },
            })
        );
        const killed = start(stalled, "-p", "Write it", "--accept-edits");
        await eventually(
            () => fs.existsSync(staged()) && fs.readFileSync(staged(), "utf8").includes("value249"),
            "the beginning of the file"
        );
        killed.kill("SIGKILL");
        expect((await killed.ended).signal).to.equal("SIGKILL");
        expect(place.files()).to.deep.equal({ "README.md": "# Project\n" });
        expect(fs.readFileSync(staged(), "utf8")).to.equal(BEGINNING.join(""));

        const [id = ""] = place.conversationIds();
        const server = await serve(rest, closing);
        const end = await start(server, "resume", id, "-p", "go on", "--accept-edits").ended;
        expect(end).to.deep.include({ code: 0, stdout: "It is written.\n" });
        expect(end.stderr).to.contain("250 lines").and.contain(staged());
        const texts = textsIn(server.requests[0]?.body).join("\n");
        expect(texts).to.contain(`${FILE} is not in the repository yet. It has 250 lines so far`);
        expect(texts).to.contain(LINES[249]).and.contain("[Interrupted]");
        expect(place.files()[FILE]).to.equal(WHOLE);
        expect(fs.existsSync(path.join(place.data, "staging", id))).to.equal(false);
        server.assertDone();
    });

    it("An interrupted streamed file stays staged at a known place until its conversation is deleted", async () => {
        const server = await serve(
            inPieces(opening + BEGINNING.join(""), {
                stopReason: null,
                interruption: { how: "stall" },
            })
        );
        const program = start(server, "-p", "Write it", "--accept-edits");
        await eventually(
            () => fs.existsSync(staged()) && fs.readFileSync(staged(), "utf8").includes("value249"),
            "the beginning of the file"
        );
        program.kill("SIGINT");
        const end = await program.ended;
        expect(end.code).to.equal(130);
        expect(end.stderr).to.contain(staged());
        expect(fs.readFileSync(staged(), "utf8")).to.equal(BEGINNING.join(""));

        const [id = ""] = place.conversationIds();
        const removed = await start(server, "conversations", "delete", id, "--force").ended;
        expect(removed.code, removed.stderr).to.equal(0);
        expect(fs.existsSync(path.join(place.data, "staging", id))).to.equal(false);
    });
});
