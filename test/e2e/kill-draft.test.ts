import * as fs from "node:fs";
import path from "node:path";
import { expect } from "chai";
import { Conversation } from "../../src/core/conversation/fold.js";
import { sampled } from "../helpers/sample.js";
import { reply, text, toolUse } from "../helpers/vendors/messages-server.js";
import { KilledConversation } from "./killed-conversation.js";
import { FILES } from "./main-job.js";

const MADE = { "made/one.txt": "one\n", "made/two.txt": "two\n", "three.txt": "three\n" };
/** The run makes about fifty changes to the disk; each is killed at, and a little later. */
const MOMENTS = Array.from({ length: 100 }, (_, index) => ({
    change: 1 + Math.floor(index / 2),
    delayMs: 4 * (index % 2),
}));

const script = [
    ...Object.entries(MADE).map(([file, content], index) =>
        reply(toolUse(`made_${index}`, "edit_create_file", { path: file, content }))
    ),
    reply(text("Done.")),
];

describe("kill -9 while a draft is made and applied", () => {
    let conversation: KilledConversation;

    beforeEach(() => {
        conversation = new KilledConversation();
    });
    afterEach(() => conversation.close());

    for (const { change, delayMs } of sampled(MOMENTS)) {
        it(`A kill ${delayMs} ms after change ${change} on the disk leaves the project whole and the draft as of its last record`, async () => {
            const { place } = conversation;
            const server = await conversation.serve(script);
            const program = conversation.start(server, "-p", "--mode", "draft", "Work");
            let count = 0;
            const folders = ["conversations", "objects", "applying"];
            conversation.watch(
                [place.repository, ...folders.map((name) => path.join(place.data, name))],
                () => {
                    count += 1;
                    if (count !== change) return;
                    if (delayMs === 0) program.kill("SIGKILL");
                    else setTimeout(() => program.kill("SIGKILL"), delayMs);
                }
            );
            await program.ended;
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
            // The next session sweeps North's own folder.
            const strays = names.filter((name) =>
                /^(?!\.north\/).*\.(?:tmp|staged|kept)$/.test(name)
            );
            expect(strays).to.deep.equal([]);
            const applying = path.join(place.data, "applying");
            const journals = fs.readdirSync(applying).filter((name) => name.endsWith(".jsonl"));
            expect(journals).to.deep.equal([]);
            await conversation.expectNothingLeft();
        });
    }
});

function pick(names: readonly string[]): Record<string, string> {
    return Object.fromEntries(Object.entries(MADE).filter(([name]) => names.includes(name)));
}
