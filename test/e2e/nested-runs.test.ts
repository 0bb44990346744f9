import { expect } from "chai";
import { ClaudeWorkplace } from "../helpers/claude-workplace.js";
import { reply, text, toolUse } from "../helpers/vendors/messages-server.js";

describe("Records of nested runs", () => {
    let place: ClaudeWorkplace;

    beforeEach(() => {
        place = new ClaudeWorkplace({ "README.md": "A clock.\n" }).reusingProcess();
    });
    afterEach(() => place.remove());

    const json = async (...args: string[]) =>
        JSON.parse((await place.run([...args, "--json"])).stdout);

    /** A conversation with two sub-agents; its id. */
    async function explore(): Promise<string> {
        await place.serve((request) => {
            const { messages, system } = request.body;
            if (JSON.stringify(system).includes("looking something up")) {
                const isFirst = messages.length === 1;
                return isFirst
                    ? reply(toolUse("toolu_read", "read_readme", {}))
                    : reply(text("In clock.ts:3."));
            }
            if (messages.length > 1) return reply(text("It is in clock.ts."));
            return reply(
                toolUse("toolu_1", "explore", { question: "Where is the hour?" }),
                toolUse("toolu_2", "explore", { question: "Where is the minute?" })
            );
        });
        const end = await place.run(["-p", "Where is the time?", "--output-format", "json"]);
        expect(end.code, end.stderr).to.equal(0);
        return JSON.parse(end.stdout).conversationId;
    }

    it("Each sub-agent has a record, which the list leaves out and the tree of its conversation shows", async () => {
        const id = await explore();
        const { conversations } = await json("conversations");
        expect(conversations.map((one: { id: string }) => one.id)).to.deep.equal([id]);
        const listed = await json("conversations", "--nested");
        const nested = listed.conversations.toReversed();
        const origins = ["toolu_1", "toolu_2"].map((callId) => ({
            by: "explore",
            callId,
            parent: id,
        }));
        expect(nested.map((one: { nested: object }) => one.nested)).to.have.deep.members(origins);
        const shown = (await place.run(["conversations", "show", id])).stdout;
        expect(shown).to.match(
            new RegExp(
                `^${id}\\n├─ ${nested[0].id} {2}explore: Where is the \\w+\\? · 3 messages · .*\\n└─ ${nested[1].id} {2}explore: .*$`,
                "m"
            )
        );
        const tree = await json("conversations", "show", id);
        expect(tree.runs).to.have.length(2);
        expect(JSON.stringify(tree.runs)).to.contain("In clock.ts:3.").and.to.contain("A clock.");
        const table = (await place.run(["conversations", "--nested"])).stdout;
        expect(table).to.contain(`explore in ${id}`);
    });

    it("A nested run is shown, cannot be resumed, and is deleted with its conversation", async () => {
        const id = await explore();
        const [run] = (await json("conversations", "--nested")).conversations;
        const shown = (await place.run(["conversations", "show", run.id])).stdout;
        expect(shown).to.contain(`A nested run: explore in ${id}`).and.to.contain("In clock.ts:3.");
        const resumed = await place.run(["resume", run.id, "-p", "Go on."]);
        expect(resumed.code).to.equal(1);
        expect(resumed.stderr).to.contain(`${run.id} is a nested run of explore`);
        await place.run(["conversations", "delete", id, "--force"]);
        expect(place.conversationIds()).to.deep.equal([]);
    });

    it("What nested runs cost counts for their conversation", async () => {
        const id = await explore();
        const { rows } = await json("costs");
        const counts = rows.map((row: { requests: number }) => row.requests);
        expect(counts).to.have.members([2, 4]);
        const models = place.server.requests.map(({ body }) => body.model);
        expect(models.filter((model) => /haiku/.test(model))).to.have.length(4);
        const all = place.writtenAtHome().match(new RegExp(`"conversationId":"${id}"`, "g")) ?? [];
        expect(all).to.have.length(6);
    });
});
