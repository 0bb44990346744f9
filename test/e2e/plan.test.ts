import path from "node:path";
import { expect } from "chai";

import { answer } from "../helpers/answers.js";
import { ClaudeWorkplace, IDLE } from "../helpers/claude-workplace.js";
import type { PseudoTerminal } from "../helpers/pseudo-terminal.js";
import { reply, text, toolUse } from "../helpers/vendors/messages-server.js";

const START = { "a.txt": "one\n" };
const PLAN = "# Goal\n\nGreet.\n\n1. Write `b.txt`\n2. Check it with @a.txt";
const EDITED = "# Goal\n\nGreet politely.\n\n1. Write `b.txt`\n2. Check it with @a.txt";
const EDITOR = "sed -i s/Greet/Greet\\ politely/";
const create = (id: string) =>
    reply(toolUse(id, "edit_create_file", { path: "b.txt", content: "hi\n" }));
const todos = reply(
    toolUse("todos", "todo_write", {
        todos: [
            { content: "Write `b.txt`", status: "completed" },
            { content: "Check it", status: "pending" },
        ],
    })
);

interface Body {
    readonly tools: readonly object[];
    readonly system: object;
    readonly messages: readonly { readonly content: unknown }[];
}

/** Without the marks that say where to cache, which move. */
function plain(value: unknown): unknown {
    return JSON.parse(
        JSON.stringify(value, (key, part) => (key === "cache_control" ? undefined : part))
    );
}

describe("A plan in the built program", () => {
    let place: ClaudeWorkplace;
    let terminal: PseudoTerminal;

    beforeEach(() => {
        place = new ClaudeWorkplace(START);
    });
    afterEach(() => place.remove());

    const bodies = () => place.server.requests.map(({ body }) => body as unknown as Body);
    const lastTexts = (body: Body | undefined) => JSON.stringify(body?.messages.at(-1)?.content);
    async function say(message: string): Promise<void> {
        await terminal.waitFor(IDLE);
        terminal.type(`${message}\r`);
    }

    it("The edited plan is sent byte for byte, nothing is written before the yes, and the cached start stays", async () => {
        const ends = [todos, reply(text("Done."))];
        await place.serve([create("too-early"), reply(text(PLAN)), create("later"), ...ends]);
        terminal = await place.chat([], { env: { EDITOR, VISUAL: "" } });
        await say("/plan greet the user");
        await terminal.waitFor("Carry out this plan?");
        expect(terminal.transcript()).to.contain("❯ /plan greet").and.not.to.contain("❯ greet");
        expect(place.files()).to.deep.equal(START);
        const refused = lastTexts(bodies()[1]);
        expect(refused).to.contain("edit_create_file is not available in plan mode");
        await answer(terminal, "edit");
        await terminal.waitFor("Carry out your version?");
        expect(place.files()).to.deep.equal(START);
        await answer(terminal, "yes");
        await terminal.waitFor("Create b.txt?");
        const [first, , accepted] = bodies();
        const sent = JSON.stringify(EDITED).slice(1, -1);
        expect(lastTexts(accepted)).to.contain(`todo list.\\n\\n${sent}"`);
        expect(lastTexts(accepted)).not.to.contain("one\\n");
        expect(accepted?.tools).to.deep.equal(first?.tools);
        expect(accepted?.system).to.deep.equal(first?.system);
        const before = plain(bodies()[1]?.messages) as unknown[];
        const after = plain(accepted?.messages) as unknown[];
        expect(after.slice(0, before.length)).to.deep.equal(before);
        await answer(terminal, "yes");
        await terminal.waitFor("Done.");
        expect(place.files()).to.deep.equal({ ...START, "b.txt": "hi\n" });
        await say("/plan");
        await terminal.waitFor(/Greet politely[^]*Progress:\s+☑ Write `b.txt`\s+☐ Check it/);
        await say("/quit");
    });

    it("A failed editor asks about the plan again, and a plan that is emptied is not carried out", async () => {
        await place.serve([reply(text(PLAN))]);
        const seen = path.join(place.data, "seen");
        const editor = `sh -c 'test -e ${seen} || { touch ${seen}; exit 1; }; : > "$1"' sh`;
        terminal = await place.chat([], { env: { EDITOR: editor, VISUAL: "" } });
        await say("/plan greet the user");
        await terminal.waitFor("Carry out this plan?");
        await answer(terminal, "edit");
        await terminal.waitFor(/The editor [^]* failed[^]*Carry out this plan\?/);
        await answer(terminal, "edit");
        await terminal.waitFor("Not carried out.");
        await say("/quit");
        await terminal.exit();
        expect(bodies()).to.have.length(1);
    });

    it("A plan that was not accepted waits in the resumed conversation and its fork, also for a draft", async () => {
        const ends = [create("c"), reply(text("Drafted."))];
        await place.serve([reply(text("Which file?")), reply(text(PLAN)), ...ends]);
        terminal = await place.chat(["--plan"]);
        await say("greet");
        await terminal.waitFor(/Which file\?[^]*❯ *$/);
        expect(terminal.transcript()).not.to.contain("Carry out");
        await say("b.txt");
        await terminal.waitFor("Carry out this plan?");
        await answer(terminal, "no", { takesReason: false });
        await terminal.waitFor("Not carried out.");
        await say("/quit");
        await terminal.exit();
        terminal = await place.chat(["-c"]);
        await say("/fork");
        await terminal.waitFor("Forked");
        await say("/plan");
        await terminal.waitFor("Carry out this plan?");
        await answer(terminal, "discard");
        await terminal.waitFor("Apply this draft?");
        expect(place.files()).to.deep.equal(START);
        await answer(terminal, "later");
        await say("/quit");
    });

    it("Print mode prints the plan and writes nothing, even with edits accepted", async () => {
        await place.serve([create("c"), reply(text(PLAN))]);
        const args = ["-p", "--plan", "greet", "--accept-edits", "--output-format", "json"];
        const { code, stdout } = await place.run(args);
        expect(code).to.equal(0);
        expect(JSON.parse(stdout)).to.include({ result: PLAN, mode: "plan" });
        expect(place.files()).to.deep.equal(START);
    });
});
