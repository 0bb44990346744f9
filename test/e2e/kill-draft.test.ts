import * as fs from "node:fs";
import path from "node:path";
import { expect } from "chai";
import { Conversation } from "../../src/core/conversation/fold.js";
import { sampled } from "../helpers/sample.js";
import { reply, text, toolUse } from "../helpers/vendors/messages-server.js";
import { KilledConversation } from "./killed-conversation.js";
import { FILES } from "./main-job.js";

const MADE = { "made/one.txt": "one\n", "made/two.txt": "two\n", "three.txt": "three\n" };
const KILLS = Number(process.env.NORTH_DRAFT_KILLS ?? 100);
/** Shares of the changes to the disk: each dies in the middle of a change, or a little later. */
const MOMENTS = Array.from({ length: KILLS }, (_, index) => ({
    share: Math.round((1000 * (index + 0.5)) / KILLS) / 1000,
    delayMs: index % 3 === 2 ? 1 + ((index * 7) % 12) : 0,
}));
const PRELOAD = path.resolve("test/helpers/kill-at-change.js");

const script = [
    ...Object.entries(MADE).map(([file, content], index) =>
        reply(toolUse(`made_${index}`, "edit_create_file", { path: file, content }))
    ),
    reply(text("Done.")),
];

describe("kill -9 while a draft is made and applied", () => {
    let conversation: KilledConversation;
    let changes = 0;
    let ran = 0;
    let killed = 0;

    before(async () => {
        conversation = new KilledConversation();
        const counted = path.join(conversation.place.folder, "changes");
        await run({ KILL_COUNT: counted });
        changes = Number(fs.readFileSync(counted, "utf8"));
        expect(conversation.place.files()).to.deep.equal({ ...FILES, ...MADE });
        await conversation.close();
    });
    beforeEach(() => {
        conversation = new KilledConversation();
    });
    afterEach(() => conversation.close());
    // The number of changes differs a little from run to run.
    after(() => expect(ran - killed, "not killed in time").to.be.below(Math.max(2, ran / 10)));

    async function run(env: Readonly<Record<string, string>>) {
        const { place } = conversation;
        const server = await conversation.serve(script);
        const folders = ["conversations", "objects", "applying"];
        const watched = [place.repository, ...folders.map((name) => path.join(place.data, name))];
        const program = place.start(["-p", "--mode", "draft", "--accept-edits", "Work"], {
            env: {
                ...{ ANTHROPIC_API_KEY: "test-key", ANTHROPIC_BASE_URL: server.url, ...env },
                ...{ NODE_OPTIONS: `--import=${PRELOAD}`, KILL_IN: watched.join(path.delimiter) },
            },
        });
        return program.ended;
    }

    for (const { share, delayMs } of sampled(MOMENTS)) {
        const moment = delayMs === 0 ? "In the middle of" : `${delayMs} ms after`;
        it(`${moment} the change to the disk at ${(share * 100).toFixed(1)} % of all, a kill leaves the project whole and the draft as of its last record`, async () => {
            const { place } = conversation;
            const end = await run({
                KILL_AT: String(Math.ceil(share * changes)),
                KILL_AFTER_MS: String(delayMs),
            });
            ran += 1;
            if (end.signal === "SIGKILL") killed += 1;
            if (place.conversationIds().length === 0) {
                expect(place.files()).to.deep.equal(FILES);
                return;
            }
            const id = conversation.id();
            const state = new Conversation();
            for (const record of place.records(id)) state.apply(record);
            const drafted = [...state.draft.view.keys()].sort();
            const hasApplied = state.entries.some(({ kind }) => kind === "change");
            const wasApplying = state.begunChanges.size > 0;

            const listed = JSON.parse((await place.run(["draft", "list", "--json"])).stdout);
            const files = listed.drafts.flatMap((draft: { files: string[] }) => draft.files);
            expect(files).to.deep.equal(drafted);
            if (drafted.length > 0) {
                const applied = await place.run(["draft", "apply", id, "--force", "--json"]);
                // A kill right after the last file was written has applied it.
                if (applied.code !== 0) expect(wasApplying, applied.stderr).to.equal(true);
            }
            const expected = hasApplied || wasApplying ? MADE : pick(drafted);
            expect(place.files()).to.deep.equal({ ...FILES, ...expected });
            const names = fs.readdirSync(place.repository, { recursive: true, encoding: "utf8" });
            const strays = names.filter((name) => /\.(?:tmp|staged|kept)$/.test(name));
            expect(strays).to.deep.equal([]);
            const applying = path.join(place.data, "applying");
            const left = fs.existsSync(applying) ? fs.readdirSync(applying) : [];
            const journals = left.filter((name) => name.endsWith(".jsonl"));
            expect(journals).to.deep.equal([]);
            await conversation.expectNothingLeft();
        });
    }
});

function pick(names: readonly string[]): Record<string, string> {
    return Object.fromEntries(Object.entries(MADE).filter(([name]) => names.includes(name)));
}
