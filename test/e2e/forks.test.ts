import * as fs from "node:fs";
import { expect } from "chai";
import { ClaudeWorkplace, IDLE } from "../helpers/claude-workplace.js";
import { reply, text, toolUse } from "../helpers/vendors/messages-server.js";
import { textsIn } from "./requests.js";

const create = (id: string, path: string) =>
    reply(toolUse(id, "edit_create_file", { path, content: `${path}\n` }));
const say = (words: string) => reply(text(words));

describe("Names and forks of conversations", () => {
    let place: ClaudeWorkplace;

    beforeEach(() => {
        place = new ClaudeWorkplace({ "README.md": "Hello\n" }).reusingProcess();
    });
    afterEach(() => place.remove());

    async function north(...args: string[]) {
        const end = await place.run(args);
        expect(end.code, end.stderr).to.equal(0);
        return end;
    }

    async function listed() {
        const { stdout } = await north("conversations", "--json");
        return JSON.parse(stdout).conversations as readonly {
            readonly id: string;
            readonly name?: string;
            readonly forkOf?: string;
            readonly costUsd: number;
            readonly messageCount: number;
        }[];
    }

    /** A conversation of three turns, each of which creates a file. */
    async function threeTurns(...more: Parameters<typeof place.serve>[0][]): Promise<string> {
        await place.serve([
            ...[create("t_1", "a.txt"), say("First."), create("t_2", "b.txt"), say("Second.")],
            ...[create("t_3", "c.txt"), say("Third.")],
            ...(more as never[]),
        ]);
        await north("-p", "Turn one", "--accept-edits");
        const [id = ""] = place.conversationIds();
        await north("resume", id, "Turn two", "-p", "--accept-edits");
        await north("resume", id, "Turn three", "-p", "--accept-edits");
        return id;
    }

    it("A fork has its own copy of a draft: what one applies or discards, the other still shows", async () => {
        await place.serve([
            create("t_1", "a.txt"),
            say("Drafted."),
            create("t_2", "b.txt"),
            say("More."),
        ]);
        const draft = ["-p", "--mode", "draft"];
        await north("Turn one", ...draft);
        const [id = ""] = place.conversationIds();
        await north("resume", id, "Turn two", ...draft, "--fork");
        const fork = place.conversationIds().find((other) => other !== id) ?? "";
        const draftOf = async (which: string) => (await north("draft", "show", which)).stdout;
        const parents = await draftOf(id);
        expect(parents).to.contain("a.txt").and.not.to.contain("b.txt");
        expect(await draftOf(fork))
            .to.contain("a.txt")
            .and.to.contain("b.txt");
        const log = fs.readFileSync(place.conversationFile(id), "utf8");
        await north("draft", "apply", fork, "--force");
        expect(place.files()).to.include.keys("a.txt", "b.txt");
        expect(await draftOf(id)).to.equal(parents);
        expect(fs.readFileSync(place.conversationFile(id), "utf8")).to.equal(log);
        await north("undo", fork, "--force");
        expect(place.files()).to.have.all.keys("README.md");
        const forks = fs.readFileSync(place.conversationFile(fork), "utf8");
        await north("draft", "discard", id);
        expect(fs.readFileSync(place.conversationFile(fork), "utf8")).to.equal(forks);
        const turns = async (which: string) =>
            JSON.parse((await north("turns", which, "--json")).stdout).turns.map(
                (turn: { draft?: string[] }) => turn.draft?.join()
            );
        expect(await turns(id)).to.deep.equal(["discarded"]);
        const shown = await north("conversations", "show", fork);
        expect(shown.stdout)
            .to.match(/✎ a\.txt.*✎ b\.txt/s)
            .and.not.to.contain("⚡");
    });

    it("A fork continues after one of the turns, is stored only from there on, and its parent stays", async () => {
        const id = await threeTurns(
            say("Another way.") as never,
            create("t_4", "d.txt") as never,
            say("Fourth.") as never
        );
        const before = fs.readFileSync(place.conversationFile(id), "utf8");
        const end = await north("resume", id, "Try again", "-p", "--fork", "--at", "1");
        expect(end.stdout).to.equal("Another way.\n");
        expect(end.stderr).to.contain(`Files stay as they are, with 2 later edits from ${id}.`);
        const sent = textsIn(place.server.requests.at(-1)?.body).join("\n");
        expect(sent).to.contain("Turn one").and.to.contain("First.").and.to.contain("Try again");
        expect(sent).not.to.contain("Turn two");
        expect(fs.readFileSync(place.conversationFile(id), "utf8")).to.equal(before);
        const fork = place.conversationIds().find((other) => other !== id) ?? "";
        expect(fs.readFileSync(place.conversationFile(fork), "utf8")).not.to.contain("Turn one");

        const [child, parent] = await listed();
        expect(child).to.deep.include({ id: fork, forkOf: id, messageCount: 2 });
        expect(child?.costUsd).to.be.below(parent?.costUsd ?? 0);
        const shown = await north("conversations", "show", fork);
        expect(shown.stdout).to.contain("Turn one").and.to.contain("Another way.");

        await north("resume", fork, "And an edit", "-p", "--accept-edits");
        const blamed = JSON.parse((await north("blame", "a.txt", "--json")).stdout);
        expect(JSON.stringify(blamed)).to.contain(id).and.not.to.contain(fork);
        const turns = JSON.parse((await north("turns", fork, "--json")).stdout);
        expect(turns.turns.map(({ turn }: { turn: number }) => turn)).to.deep.equal([1, 3]);
        expect((await north("blame", "d.txt", "--json")).stdout).to.contain(fork);
        expect((await north("replay", fork)).stdout).to.match(/^No difference: 3 turns, /);
        const found = JSON.parse((await north("search", "Turn one", "--json")).stdout);
        expect(found.hits.map((hit: { id: string }) => hit.id)).to.deep.equal([id]);
        const again = JSON.parse((await north("search", "created", "--json")).stdout);
        const places = again.hits.map((hit: { id: string; turn: number }) => hit.id + hit.turn);
        expect(new Set(places).size).to.equal(places.length);

        const refused = await place.run(["conversations", "delete", id, "--force"]);
        expect(refused.code).to.equal(1);
        expect(refused.stderr).to.contain(`${id} has forks: ${fork}.`);
        await north("conversations", "delete", fork, "--force");
        await north("conversations", "delete", id, "--force");
        expect(await listed()).to.deep.equal([]);
    });

    it("A turn that does not exist is refused with the turns there are", async () => {
        await place.serve([say("First."), say("Second.")]);
        await north("-p", "Turn one");
        const fork = ["resume", "--last", "--fork", "--at", "4", "-p", "x"];
        expect((await place.run(fork)).stderr).to.match(/^\w{6} has 1 turn\.\n$/);
        await north("resume", "--last", "-p", "Turn two");
        expect((await place.run(fork)).stderr).to.contain("Choose a turn from 1 to 2.");
    });

    it("A script that reads JSON gets an object when a conversation cannot be resumed", async () => {
        const id = await threeTurns();
        for (const args of [[id, "--fork", "--at", "9"], ["ffffff"]]) {
            const end = await place.run(["resume", ...args, "-p", "x", "--output-format", "json"]);
            expect(end.code).to.be.oneOf([1, 2]);
            expect(JSON.parse(end.stdout)).to.deep.include({ type: "result", isError: true });
        }
    });

    it("A fork of a fork before the first one's own turns goes back to the first conversation", async () => {
        const id = await threeTurns(say("One.") as never, say("Two.") as never);
        await north("resume", id, "Other way", "-p", "--fork", "--at", "2");
        const [child] = await listed();
        await north("resume", child?.id ?? "", "Third way", "-p", "--fork", "--at", "1");
        const [grandchild] = await listed();
        expect(grandchild?.forkOf).to.equal(id);
        const sent = textsIn(place.server.requests.at(-1)?.body).join("\n");
        expect(sent).to.contain("Turn one").and.not.to.contain("Turn two");
        const beyond = await place.run(["resume", id, "x", "-p", "--fork", "--at", "9"]);
        expect(beyond.stderr).to.contain(`${id} has 3 turns.`);
        expect(place.conversationIds()).to.have.length(3);
    });

    it("A conversation is named, listed and resumed by its name, and forked in the chat", async () => {
        await place.serve([say("First."), say("Second."), say("In the fork."), say("Resumed.")]);
        const terminal = await place.chat();
        const send = async (line: string, expected: string) => {
            terminal.type(`${line}\r`);
            await terminal.waitFor(expected);
            await terminal.waitFor(IDLE);
        };
        await send("Turn one", "● First.");
        await send("/name Login  fix", 'This conversation is called "Login fix".');
        await send("Turn two", "● Second.");
        const [id = ""] = place.conversationIds();
        await send("/fork 9", `${id} has 2 turns.`);
        await send("/fork 1", `Forked ${id} after turn 1. \`/resume ${id}\` returns to it.`);
        await send("Another way", "● In the fork.");
        await send("/name", "This conversation has no name.");
        terminal.press("ctrl-d");
        await terminal.exit();
        const sent = textsIn(place.server.requests.at(-1)?.body).join("\n");
        expect(sent).to.contain("First.").and.not.to.contain("Second.");
        expect((await listed()).map(({ name, forkOf }) => [name, forkOf])).to.deep.equal([
            [undefined, id],
            ["Login fix", undefined],
        ]);
        expect((await north("conversations")).stdout).to.contain("Login fix");
        const end = await north("resume", "login fix", "Go on", "-p");
        expect(end.stdout).to.equal("Resumed.\n");
        expect(place.records(id).at(-1)?.type).to.equal("conversation_ended");
        expect((await place.run(["resume", "logout fix", "x", "-p"])).stderr).to.contain(
            "There is no conversation logout fix."
        );
    });
});
