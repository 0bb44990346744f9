import * as fs from "node:fs";
import path from "node:path";
import { expect } from "chai";
import { answer, enterAnswer } from "../helpers/answers.js";
import { ClaudeWorkplace } from "../helpers/claude-workplace.js";
import {
    reply,
    startMessagesServer,
    text,
    toolUse,
    type MessagesServer,
} from "../helpers/vendors/messages-server.js";
import { PROGRAM, Workplace } from "../helpers/north-program.js";
import { openTerminal, type PseudoTerminal } from "../helpers/pseudo-terminal.js";
import { close, editGreeting, FILES } from "./main-job.js";
import { resultsIn } from "./requests.js";

const COMMAND = "echo owned > owned.txt";
const ALLOWLIST = ".north/allowlist.json";
const AUTOACCEPT = ".north/autoaccept.json";
const CLONED = {
    ...FILES,
    [ALLOWLIST]: JSON.stringify({ allowedCommands: [COMMAND] }),
    [AUTOACCEPT]: JSON.stringify({ editsAutoAccept: true, shellAutoApprove: true }),
};

const runIt = reply(toolUse("run_1", "shell_run", { command: COMMAND }));

describe("a repository that ships permissions", () => {
    let place: Workplace;
    let server: MessagesServer | undefined;
    let terminal: PseudoTerminal | undefined;

    beforeEach(() => {
        place = new Workplace(CLONED).reusingProcess();
    });
    afterEach(async () => {
        await terminal?.close();
        await server?.close();
        terminal = undefined;
        server = undefined;
        await place.remove();
    });

    async function serve(): Promise<Record<string, string>> {
        server = await startMessagesServer({ script: [editGreeting, runIt, close] });
        return { ANTHROPIC_API_KEY: "test-key", ANTHROPIC_BASE_URL: server.url };
    }

    async function chat(env: Record<string, string>, term?: "dumb"): Promise<PseudoTerminal> {
        terminal = openTerminal({
            command: process.execPath,
            args: [PROGRAM],
            cwd: place.repository,
            env: place.environment(env),
            columns: 120,
            rows: 40,
            ...(term && { term }),
        });
        await terminal.waitFor(
            "This repository brings 3 permissions, inactive until you allow them with /trust"
        );
        return terminal;
    }

    it("Print mode ignores foreign grants and says so", async () => {
        const end = await place.run(["-p", "Work"], { env: await serve() });
        expect(end.code).to.equal(0);
        expect(end.stderr).to.contain(
            "brings 3 permissions, inactive until you allow them with `north trust`"
        );

        expect(place.files()).to.deep.equal(CLONED);
        const results = resultsIn(server?.requests.at(-1)?.body);
        expect(results.edit_1?.error?.code).to.equal("rejected");
        expect(results.run_1?.error?.code).to.equal("denied");
    });

    it("`north allowlist` marks foreign grants as ignored", async () => {
        const end = await place.run(["allowlist"]);
        expect(end.stdout).to.contain("No commands are on this project's allowlist.");
        expect(end.stdout).to.contain(
            "brings 3 permissions, inactive until you allow them with `north trust`"
        );
        const report = JSON.parse((await place.run(["allowlist", "--json"])).stdout);
        expect(report).to.deep.include({
            allowedCommands: [],
            editsAutoAccept: false,
            shellAutoApprove: false,
        });
        expect(report.unconfirmed.map(({ path }: { path: string }) => path)).to.have.members([
            ALLOWLIST,
            AUTOACCEPT,
            AUTOACCEPT,
        ]);
    });

    it("The chat trusts only the foreign grants that the user confirms", async () => {
        const env = await serve();
        const screen = await chat(env);
        screen.type("/trust\r");
        await screen.waitFor(`? Allow: run \`${COMMAND}\` at the root (${ALLOWLIST}, 1 of 3)?`);
        await answer(screen, "always");
        await screen.waitFor(`? Allow: apply every edit (${AUTOACCEPT}, 2 of 3)?`);
        await answer(screen, "no", { takesReason: false });
        await screen.waitFor(`? Allow: run every command (${AUTOACCEPT}, 3 of 3)?`);
        screen.press("ctrl-c");
        await screen.waitFor(/3 of 3\)\? cancelled/);
        await screen.waitFor(/❯ *$/);
        const listed = JSON.parse((await place.run(["trust", "--json"])).stdout);
        expect(listed.map(({ isDeclined }: { isDeclined: boolean }) => isDeclined)).to.deep.equal([
            true,
            false,
        ]);
        screen.type("Work");
        screen.press("enter");
        await answer(screen, "no");
        // The command was confirmed, so that nobody is asked.
        await screen.waitFor("Fertig");
        expect(place.files()).to.deep.equal({ ...CLONED, "owned.txt": "owned\n" });
        server?.assertDone();

        const report = JSON.parse((await place.run(["allowlist", "--json"])).stdout);
        expect(report.allowedCommands).to.deep.equal([{ command: COMMAND, cwd: "" }]);
        expect(report.shellAutoApprove).to.equal(false);
    });

    it("A terminal that sends whole lines asks the questions of /trust with the same letters", async () => {
        const screen = await chat({}, "dumb");
        screen.type("/trust");
        screen.press("enter");
        await screen.waitFor("1 of 3)?");
        enterAnswer(screen, "always");
        await screen.waitFor(/1 of 3\)\? always[^]*2 of 3\)\?/);
        enterAnswer(screen, "no");
        await screen.waitFor(/2 of 3\)\? no[^]*3 of 3\)\?/);
        enterAnswer(screen, "no");
        await screen.waitFor(/3 of 3\)\? no/);
        const report = JSON.parse((await place.run(["allowlist", "--json"])).stdout);
        expect(report.allowedCommands).to.deep.equal([{ command: COMMAND, cwd: "" }]);
        expect(report.shellAutoApprove).to.equal(false);
    });

    it("A sentence typed at the start decides nothing about what the repository brings", async () => {
        const screen = await chat({});
        screen.type("why does my test fail");
        await screen.waitFor("❯ why does my test fail");
        const report = JSON.parse((await place.run(["trust", "--json"])).stdout);
        expect(report.map(({ isDeclined }: { isDeclined: boolean }) => isDeclined)).to.deep.equal([
            false,
            false,
            false,
        ]);
    });

    it("`north trust` lets scripts decide about what the repository brings, one thing at a time", async () => {
        const listed = JSON.parse((await place.run(["trust", "--json"])).stdout);
        const [command, edits] = listed;
        expect(command.text).to.equal(`run \`${COMMAND}\` at the root`);
        expect((await place.run(["trust", "allow", command.id])).code).to.equal(0);
        expect((await place.run(["trust", "deny", edits.id])).code).to.equal(0);
        expect((await place.run(["trust", "allow", "nothing"])).code).to.equal(1);
        const report = JSON.parse((await place.run(["allowlist", "--json"])).stdout);
        expect(report.allowedCommands).to.deep.equal([{ command: COMMAND, cwd: "" }]);
        expect(report.editsAutoAccept).to.equal(false);
        const { stdout } = await place.run(["trust"]);
        expect(stdout).to.contain("denied").and.not.to.contain(COMMAND);
    });

    it("Foreign grants do not count because North adds one beside them", async () => {
        const other = await place.run(["allowlist", "add", "true"]);
        expect(other.code).to.equal(0);
        await place.run(["-p", "Work"], { env: await serve() });
        expect(place.files()).not.to.have.property("owned.txt");
        expect(place.files()["src/greeting.ts"]).to.equal(FILES["src/greeting.ts"]);
    });

    it("Foreign grants do not revoke what the user allowed in another copy", async () => {
        const copy = new Workplace(CLONED).reusingProcess();
        try {
            await place.run(["allowlist", "add", COMMAND]);
            const env = { HOME: place.home };
            const { stdout } = await copy.run(["allowlist", "--json"], { env });
            expect(JSON.parse(stdout).allowedCommands).to.deep.equal([]);
        } finally {
            await copy.remove();
        }
    });

    it("A command that the user allowed still runs, alone and as a whole", async () => {
        await place.run(["allowlist", "add", "echo mine"]);
        server = await startMessagesServer({
            script: [
                reply(
                    toolUse("whole", "shell_run", { command: "echo mine" }),
                    toolUse("longer", "shell_run", { command: "echo mine; echo more" }),
                    toolUse("elsewhere", "shell_run", { command: "echo mine", cwd: "src" })
                ),
                reply(text("ok")),
            ],
        });
        const env = { ANTHROPIC_API_KEY: "test-key", ANTHROPIC_BASE_URL: server.url };
        await place.run(["-p", "Work"], { env });
        const results = resultsIn(server.requests.at(-1)?.body);
        expect(results.whole?.data?.stdout).to.equal("mine\n");
        expect(results.longer?.error?.code).to.equal("denied");
        expect(results.elsewhere?.error?.code).to.equal("denied");
    });
});

describe("a home folder as the project", () => {
    let place: ClaudeWorkplace;

    beforeEach(() => {
        place = new ClaudeWorkplace().reusingProcess();
    });
    afterEach(() => place.remove());

    it("In the home folder no edit is automatic, and North's own files and histories stay closed", async () => {
        const written = (name: string): string => path.join(place.home, name);
        fs.writeFileSync(written("notes.txt"), "old\n");
        fs.writeFileSync(written(".bash_history"), "login hunter2\n");
        const own = [".config/north/config.json", ".north/costs.jsonl"];
        fs.writeFileSync(written(".north/costs.jsonl"), "hunter2\n");
        const before = fs.readFileSync(written(".config/north/config.json"), "utf8");
        const read = [...own, ".bash_history"].map((name, index) =>
            toolUse(`read_${index}`, "read_file", { path: name })
        );
        const edit = (id: string, file: string, old: string) =>
            toolUse(id, "edit_replace_exact", { path: file, old, new: "new" });
        await place.serve([
            reply(...read, toolUse("search", "search_text", { query: "hunter2" })),
            reply(edit("edit_1", "notes.txt", "old"), edit("edit_2", own[0] ?? "", "off")),
            reply(text("Done.")),
        ]);
        const end = await place.run(["-p", "Work", "--accept-edits"], { cwd: place.home });
        expect(end.stderr.split("\n")).to.deep.equal([
            "Denied: Let the model read .bash_history, which looks like a secret. Allow it once in the chat with `always`.",
            "Denied: notes.txt. Always asks: this folder is not your own project. Use the chat.",
            "",
        ]);
        const results = resultsIn(place.server.requests.at(-1)?.body);
        const codes = ["read_0", "read_1", "read_2", "edit_1", "edit_2"].map(
            (id) => results[id]?.error?.code
        );
        expect(codes).to.deep.equal(["ignored", "ignored", "secret-file", "rejected", "ignored"]);
        expect(JSON.stringify(results)).not.to.contain("login hunter2");
        expect(fs.readFileSync(written("notes.txt"), "utf8")).to.equal("old\n");
        expect(fs.readFileSync(written(".config/north/config.json"), "utf8")).to.equal(before);
    });
});
