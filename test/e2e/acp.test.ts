import {
    existsSync,
    mkdirSync,
    readdirSync,
    readFileSync,
    renameSync,
    rmSync,
    symlinkSync,
    writeFileSync,
} from "node:fs";
import path from "node:path";
import { expect } from "chai";
import {
    type InitializeResponse,
    methods,
    RequestError,
    type McpServer,
    type RequestPermissionRequest,
} from "@agentclientprotocol/sdk";
import { Editor, type EditorOptions } from "../helpers/acp-editor.js";
import { whyNot } from "../shell/containment/contained.js";
import { ClaudeWorkplace } from "../helpers/claude-workplace.js";
import { reply, text, thinking, toolUse } from "../helpers/vendors/messages-server.js";
import { resultsIn } from "./requests.js";

const KEY_TYPED = {
    stdin: { text: "sk-ant-a-key\n" },
    // Nobody answers there, so the key is stored untested.
    env: { ANTHROPIC_BASE_URL: "http://127.0.0.1:9" },
};
const EDIT = { path: "a.txt", old: "one", new: "two" };

describe("An editor that speaks the Agent Client Protocol", () => {
    let workplace: ClaudeWorkplace;
    const editors: Editor[] = [];

    beforeEach(() => {
        workplace = new ClaudeWorkplace({ "a.txt": "one\n", "b.txt": "b\n" });
    });

    afterEach(async () => {
        const violations: string[] = [];
        for (const editor of editors.splice(0)) {
            editor.kill("SIGKILL");
            violations.push(...(await editor.end()).violations);
        }
        await workplace.remove();
        expect(violations).to.deep.equal([]);
    });

    async function start(options: EditorOptions = {}): Promise<Editor> {
        const editor = await Editor.start(workplace, options);
        editors.push(editor);
        return editor;
    }

    async function open(options: EditorOptions = {}) {
        const editor = await start(options);
        const { sessionId } = await editor.newSession(workplace.repository);
        return { editor, sessionId };
    }

    const credentials = () => path.join(workplace.home, ".config/north/credentials.json");

    const optionsOf = ({ options }: RequestPermissionRequest) =>
        options.map(({ optionId, kind }) => `${optionId}:${kind}`);

    it("A prompt streams thoughts and text, and ends with its stop reason and its costs", async () => {
        await workplace.serve([reply(thinking("Let me see.", "sig"), text("Hello there."))]);
        const { editor, sessionId } = await open();
        expect(await editor.prompt(sessionId, "Hi")).to.deep.equal({ stopReason: "end_turn" });
        expect(editor.text(sessionId, "agent_thought_chunk")).to.contain("Let me see.");
        expect(editor.text(sessionId, "agent_message_chunk")).to.contain("Hello there.");
        expect(editor.updatesOf(sessionId, "usage_update").at(-1)?.cost?.currency).to.equal("USD");
        const { code, violations, stderr } = await editor.close();
        expect({ code, violations, stderr }).to.deep.equal({ code: 0, violations: [], stderr: "" });
    });

    it("Without a key no session opens and no sign-in succeeds, until a key is stored", async () => {
        const failure = (promise: Promise<unknown>) =>
            promise.then(
                () => undefined,
                ({ code }: RequestError) => code
            );
        for (const args of [[], ["--model", "sonnet"]]) {
            const editor = await start({ args });
            const { repository } = workplace;
            const authenticate = (methodId: string) =>
                failure(editor.agent.request(methods.agent.authenticate, { methodId }));
            expect(await failure(editor.newSession(repository))).to.equal(-32000);
            expect(await authenticate("login")).to.equal(-32000);
            expect(await authenticate("made-up")).to.equal(-32602);
            await workplace.run(["login", "anthropic"], { ...KEY_TYPED });
            expect(await authenticate("login")).to.equal(undefined);
            expect(await failure(editor.newSession(repository))).to.equal(undefined);
            await editor.close();
            rmSync(credentials());
        }
    });

    it("An editor with a terminal is offered to sign in there", async () => {
        const capabilities = { auth: { terminal: true } };
        for (const [options, offered] of [
            [{}, ["login"]],
            [{ capabilities }, ["login", "login-in-terminal"]],
        ] as const) {
            const editor = await start(options);
            const { authMethods = [] } = (await editor.initialize()) as InitializeResponse;
            expect(authMethods.map(({ id }) => id)).to.deep.equal(offered);
            expect(authMethods[1] ?? { args: ["--login"] }).to.deep.include({ args: ["--login"] });
        }
        const { stderr } = await workplace.run(["acp", "--login"], {
            ...KEY_TYPED,
        });
        expect(stderr).not.to.contain("for editors");
        expect(existsSync(credentials())).to.equal(true);
    });

    it("Deleting a session that is gone succeeds, and the sessions of a folder that is gone are listed", async () => {
        const { editor, sessionId } = await open({ args: ["--model", "offline"] });
        await editor.prompt(sessionId, "Hello");
        const { agent } = editor;
        const list = async (cwd: string) => {
            const { sessions } = await agent.request(methods.agent.session.list, { cwd });
            return sessions.map((session) => session.sessionId);
        };
        const remove = (id: string) =>
            agent.request(methods.agent.session.delete, { sessionId: id });
        await remove("ffffff");
        expect(await list("/gone/for/good")).to.deep.equal([]);
        renameSync(workplace.repository, `${workplace.repository}-moved`);
        expect(await list(workplace.repository)).to.deep.equal([sessionId]);
        const opening = editor.newSession(workplace.repository);
        const error = await opening.catch((reason: RequestError) => reason);
        expect(error).to.have.property("code", -32602);
        expect(String((error as RequestError).message)).not.to.contain("--path");
        await remove(sessionId);
        await remove(sessionId);
        expect(await list(workplace.repository)).to.deep.equal([]);
    });

    it("An edit is shown as a diff, and written when it is accepted", async () => {
        await workplace.serve([
            reply(toolUse("call_1", "edit_replace_exact", EDIT)),
            reply(text("Done.")),
        ]);
        const { editor, sessionId } = await open();
        editor.answer = () => "yes";
        await editor.prompt(sessionId, "Edit it");
        const [question] = editor.questions;
        expect(question?.toolCall.content?.[0]).to.deep.equal({
            type: "diff",
            path: workplace.place("a.txt"),
            oldText: "one\n",
            newText: "two\n",
        });
        expect(question && optionsOf(question)).to.deep.equal([
            "yes:allow_once",
            "session:allow_always",
            "always:allow_always",
            "no:reject_once",
        ]);
        const [call] = editor.calls(sessionId);
        expect(call).to.deep.include({ kind: "edit", status: "completed" });
        expect(call?.locations).to.deep.equal([{ path: workplace.place("a.txt") }]);
        expect(readFileSync(workplace.place("a.txt"), "utf8")).to.equal("two\n");
        expect((await editor.close()).violations).to.deep.equal([]);
    });

    it("An edit of a file that runs later says why it asks and offers no lasting yes", async () => {
        const input = { path: ".envrc", content: "use nix\n" };
        await workplace.serve([
            reply(toolUse("call_1", "edit_create_file", input)),
            reply(text("Fine.")),
        ]);
        const { editor, sessionId } = await open();
        await editor.prompt(sessionId, "Write it");
        const [question] = editor.questions;
        expect(JSON.stringify(question?.toolCall.content)).to.contain(
            "Always asks: .envrc controls"
        );
        expect(question && optionsOf(question)).to.deep.equal(["yes:allow_once", "no:reject_once"]);
        expect(workplace.files()).not.to.have.property(".envrc");
    });

    it("An edit through a link names both paths and offers no lasting yes", async () => {
        mkdirSync(workplace.place(".vscode"));
        symlinkSync(".vscode", workplace.place("docs"));
        const input = { path: "docs/tasks.json", content: "{}\n" };
        await workplace.serve([
            reply(toolUse("call_1", "edit_create_file", input)),
            reply(text("Fine.")),
        ]);
        const { editor, sessionId } = await open({ args: ["--accept-edits"] });
        await editor.prompt(sessionId, "Write it");
        const [question] = editor.questions;
        const name = "docs/tasks.json, which is .vscode/tasks.json";
        expect(question?.toolCall.title).to.equal(`Edit ${name} (+1 -0)`);
        expect(JSON.stringify(question?.toolCall.content)).to.contain(name);
        expect(question && optionsOf(question)).to.deep.equal(["yes:allow_once", "no:reject_once"]);
        expect(readdirSync(workplace.place(".vscode"))).to.deep.equal([]);
    });

    it("An edit that is rejected is not written, and its call has failed", async () => {
        await workplace.serve([
            reply(toolUse("call_1", "edit_replace_exact", EDIT)),
            reply(text("As you like.")),
        ]);
        const { editor, sessionId } = await open();
        await editor.prompt(sessionId, "Edit it");
        expect(editor.calls(sessionId)[0]?.status).to.equal("failed");
        expect(workplace.files()["a.txt"]).to.equal("one\n");
    });

    it("A denied command does not run, and what it would delete stands first in its title", async () => {
        await workplace.serve([
            reply(toolUse("call_1", "shell_run", { command: "rm a.txt" })),
            reply(text("Fine.")),
        ]);
        const { editor, sessionId } = await open();
        await editor.prompt(sessionId, "Delete it");
        const [question] = editor.questions;
        expect(question?.toolCall.title).to.match(/^Deletes a\.txt.*; run rm a\.txt$/);
        expect(question && optionsOf(question)).to.include("session:allow_always");
        expect(editor.calls(sessionId)[0]).to.deep.include({ kind: "execute", status: "failed" });
        expect(workplace.files()).to.have.property("a.txt");
    });

    it("A command that runs for real is asked about with what earlier ones set", async function () {
        if ((await whyNot()) !== undefined) return this.skip();
        workplace.configure({ containment: "auto" });
        const set = { command: "export PIP_INDEX_URL=http://evil.example/" };
        const real = { command: "echo [$PIP_INDEX_URL]", real: "It reads it" };
        await workplace.serve([
            reply(toolUse("call_1", "shell_run", set)),
            reply(toolUse("call_2", "shell_run", real)),
            reply(text("Done.")),
        ]);
        const { editor, sessionId } = await open();
        editor.answer = () => "yes";
        await editor.prompt(sessionId, "Run them");
        const [question] = editor.questions;
        expect(JSON.stringify(question?.toolCall.content)).to.contain(
            "with PIP_INDEX_URL=http://evil.example/"
        );
        const [, call] = editor.calls(sessionId);
        expect(JSON.stringify(call?.content)).to.contain("[http://evil.example/]");
    });

    it("A call says how its command ended, and which of its changes were refused", async function () {
        if ((await whyNot()) !== undefined) return this.skip();
        workplace.configure({ containment: "auto" });
        const command = "echo seen; echo x > made.txt; exit 3";
        await workplace.serve([
            reply(toolUse("call_1", "shell_run", { command })),
            reply(text("Ok.")),
        ]);
        const { editor, sessionId } = await open();
        editor.answer = () => "no";
        await editor.prompt(sessionId, "Run it");
        const shown = JSON.stringify(editor.calls(sessionId)[0]?.content);
        expect(shown).to.match(/seen.*contained · exit 3 in .*Rejected made\.txt/);
    });

    it("The output of a command is in its call, and a command allowed for the session is not asked about again", async () => {
        const run = (id: string) => reply(toolUse(id, "shell_run", { command: "echo seen" }));
        await workplace.serve([run("call_1"), run("call_2"), reply(text("Done."))]);
        const { editor, sessionId } = await open();
        editor.answer = () => "session";
        await editor.prompt(sessionId, "Run it");
        expect(editor.questions).to.have.length(1);
        const shown = editor.calls(sessionId).map(({ content }) => JSON.stringify(content));
        expect(shown).to.have.length(2);
        for (const content of shown) expect(content).to.contain("seen");
    });

    it("A command does not run in the terminals that an editor offers, and its output streams into its call", async () => {
        await workplace.serve([
            reply(toolUse("call_1", "shell_run", { command: "echo begun; sleep 601" })),
        ]);
        const { editor, sessionId } = await open({ capabilities: { terminal: true } });
        editor.answer = () => "yes";
        const prompt = editor.prompt(sessionId, "Run it");
        const call = () => editor.calls(sessionId)[0];
        await editor.until(() => JSON.stringify(call() ?? "").includes("begun"), "output");
        expect(call()?.status).to.equal("in_progress");
        await editor.cancel(sessionId);
        await prompt;
        const methods = editor.messages.flatMap(({ message }) =>
            "method" in message ? message.method : []
        );
        expect(methods.filter((method) => method.startsWith("terminal/"))).to.deep.equal([]);
    });

    it("A session with an accepted edit, a denied command and a cancelled turn is valid message by message", async () => {
        const gate = new Promise<void>(() => {});
        await workplace.serve([
            reply(toolUse("call_1", "edit_replace_exact", EDIT)),
            reply(toolUse("call_2", "shell_run", { command: "rm b.txt" })),
            reply(text("The edit stands.")),
            { ...reply(text("word ".repeat(20), 5)), gate },
        ]);
        const { editor, sessionId } = await open();
        editor.answer = ({ toolCall }) => (toolCall.kind === "edit" ? "yes" : "no");
        const ended = await editor.prompt(sessionId, "Edit a.txt and delete b.txt");
        expect(ended).to.deep.equal({ stopReason: "end_turn" });
        const cancelled = editor.prompt(sessionId, "Talk");
        await editor.until(() => workplace.server.requests.length === 4, "the fourth request");
        await editor.cancel(sessionId);
        expect(await cancelled).to.deep.equal({ stopReason: "cancelled" });
        expect(workplace.files()).to.include({ "a.txt": "two\n", "b.txt": "b\n" });

        const { violations } = await editor.close();
        expect(violations).to.deep.equal([]);
        const said = editor.messages.map(({ side, message }) => {
            if ("method" in message) return `${side} ${message.method}`;
            return `${side} ${JSON.stringify("result" in message ? message.result : message)}`;
        });
        const heard = (part: string) => said.filter((line) => line.includes(part)).length;
        expect(heard("client session/prompt")).to.equal(2);
        expect(heard("agent session/request_permission")).to.equal(2);
        expect(heard('client {"outcome":{"outcome":"selected","optionId":"yes"}}')).to.equal(1);
        expect(heard('client {"outcome":{"outcome":"selected","optionId":"no"}}')).to.equal(1);
        expect(heard("client session/cancel")).to.equal(1);
        expect(heard('agent {"stopReason":"cancelled"}')).to.equal(1);
    });

    it("An answer that was not offered is a no", async () => {
        await workplace.serve([
            reply(toolUse("call_1", "edit_replace_exact", EDIT)),
            reply(text("As you like.")),
        ]);
        const { editor, sessionId } = await open();
        editor.answer = () => "approve";
        await editor.prompt(sessionId, "Edit it");
        expect(workplace.files()["a.txt"]).to.equal("one\n");
    });

    it("A cancel at an open question denies it, ends the turn as cancelled, and is shown when the session is loaded", async () => {
        await workplace.serve([reply(toolUse("call_1", "edit_replace_exact", EDIT))]);
        const { editor, sessionId } = await open();
        editor.answer = () => new Promise<string>(() => {});
        const prompt = editor.prompt(sessionId, "Edit it");
        await editor.until(() => editor.questions.length > 0, "a question");
        await editor.cancel(sessionId);
        expect(await prompt).to.deep.equal({ stopReason: "cancelled" });
        expect(workplace.files()["a.txt"]).to.equal("one\n");
        await editor.close();

        const later = await start();
        const place = { sessionId, cwd: workplace.repository, mcpServers: [] };
        await later.agent.request(methods.agent.session.load, place);
        const [call] = later.calls(sessionId);
        expect(call).to.deep.include({ kind: "edit", status: "failed" });
        expect(JSON.stringify(call?.content)).to.include("denied");
    });

    it("A cancel while a command runs ends the command", async () => {
        await workplace.serve([
            reply(toolUse("call_1", "shell_run", { command: "echo begun; sleep 601" })),
            reply(text("Next.")),
        ]);
        const { editor, sessionId } = await open({ args: ["--approve-shell"] });
        const prompt = editor.prompt(sessionId, "Run it");
        const output = () => JSON.stringify(editor.calls(sessionId)[0]?.content ?? "");
        await editor.until(() => output().includes("begun"), "output");
        await editor.cancel(sessionId);
        expect(await prompt).to.deep.equal({ stopReason: "cancelled" });
        await editor.until(
            () => !workplace.processes().some((line) => line.includes("sleep 601")),
            "the end of the command"
        );
        expect(await editor.prompt(sessionId, "Go on")).to.deep.equal({ stopReason: "end_turn" });
    });

    it("A cancel while text streams ends the turn as cancelled", async () => {
        let release = () => {};
        const gate = new Promise<void>((resolve) => (release = resolve));
        await workplace.serve([{ ...reply(text("word ".repeat(20), 5)), gate }]);
        const { editor, sessionId } = await open();
        const prompt = editor.prompt(sessionId, "Talk");
        await editor.until(() => workplace.server.requests.length > 0, "a request");
        await editor.cancel(sessionId);
        expect(await prompt).to.deep.equal({ stopReason: "cancelled" });
        release();
    });

    it("Mode and model are chosen by the editor, and by slash commands", async () => {
        await workplace.serve([reply(text("Only looked."))]);
        const { editor, sessionId } = await open();
        const { setMode, setConfigOption } = methods.agent.session;
        await editor.agent.request(setMode, { sessionId, modeId: "ask" });
        const value = "anthropic/claude-opus-4-8";
        const { configOptions } = await editor.agent.request(setConfigOption, {
            sessionId,
            configId: "model",
            value,
        });
        const current = configOptions.map(({ id, currentValue }) => [id, currentValue]);
        expect(current).to.deep.include.members([
            ["mode", "ask"],
            ["model", value],
        ]);
        await editor.prompt(sessionId, "Look");
        expect(JSON.stringify(workplace.server.requests[0]?.body)).to.contain("Ask mode");
        await editor.prompt(sessionId, "/mode agent");
        const modes = editor.updatesOf(sessionId, "current_mode_update");
        expect(modes.at(-1)?.currentModeId).to.equal("agent");
        const wrong = editor.agent.request(setMode, { sessionId, modeId: "yolo" });
        expect(await failureOf(wrong)).to.deep.include({ code: -32602 });
    });

    it("A mistyped slash command is corrected and not sent", async () => {
        await workplace.serve([reply(text("Seen."))]);
        const { editor, sessionId } = await open();
        for (const [typed, answer] of [
            ["/compact", "There is no /compact. Use /summarize."],
            ["/sumarize --keep-last 2", "There is no /sumarize. Did you mean /summarize?"],
            ["/copy", "/copy works only in North's own chat, in a terminal."],
            ["/rewind 1", "/rewind works only in North's own chat, in a terminal."],
            ["/nothing", "There is no /nothing.\n"],
        ] as const) {
            expect(await editor.prompt(sessionId, typed)).to.deep.equal({ stopReason: "end_turn" });
            expect(editor.text(sessionId, "agent_message_chunk")).to.contain(answer);
        }
        expect(workplace.server.requests).to.deep.equal([]);
        await editor.prompt(sessionId, "/srv is full");
        const said = editor.text(sessionId, "agent_message_chunk");
        expect(said).to.contain("There is no /srv; it is sent as text.").and.to.contain("Seen.");
    });

    it("A prompt during a turn is an error and leaves the turn alone", async () => {
        let release = () => {};
        const gate = new Promise<void>((resolve) => (release = resolve));
        await workplace.serve([{ ...reply(text("One answer.", 2)), gate }]);
        const { editor, sessionId } = await open();
        const first = editor.prompt(sessionId, "Talk");
        await editor.until(() => workplace.server.requests.length > 0, "a request");
        const failure = await failureOf(editor.prompt(sessionId, "Me too"));
        expect(failure).to.deep.include({ code: -32600 });
        release();
        expect(await first).to.deep.equal({ stopReason: "end_turn" });
        expect(workplace.server.requests).to.have.length(1);
    });

    it("A loaded session shows what was said and changed, and is resumed without that", async () => {
        await workplace.serve([
            reply(thinking("Hm.", "sig"), toolUse("call_1", "edit_replace_exact", EDIT)),
            reply(text("Done.")),
        ]);
        const first = await open({ args: ["--accept-edits"] });
        await first.editor.prompt(first.sessionId, "Edit it");
        await first.editor.close();

        const { sessionId } = first;
        const place = { sessionId, cwd: workplace.repository, mcpServers: [] };
        const editor = await start();
        const { load, resume, list } = methods.agent.session;
        const { sessions } = await editor.agent.request(list, { cwd: workplace.repository });
        expect(sessions).to.have.length(1);
        expect(sessions[0]).to.deep.include({ sessionId, title: "Edit it" });
        await editor.agent.request(load, place);
        expect(editor.text(sessionId, "user_message_chunk")).to.equal("Edit it");
        expect(editor.text(sessionId, "agent_thought_chunk")).to.equal("Hm.");
        expect(editor.text(sessionId, "agent_message_chunk")).to.equal("Done.");
        const [call] = editor.calls(sessionId);
        expect(call).to.deep.include({ kind: "edit", status: "completed" });
        expect(call?.content?.[0]).to.deep.include({ oldText: "one\n", newText: "two\n" });
        expect((await editor.close()).violations).to.deep.equal([]);

        const other = await start();
        await other.agent.request(resume, place);
        expect(other.text(sessionId, "user_message_chunk")).to.equal("");
    });

    it("Two sessions of one editor do not mix", async () => {
        const other = new ClaudeWorkplace({ "a.txt": "other\n" });
        try {
            await workplace.serve(({ body }) => {
                const said = JSON.stringify(body.messages.at(-1));
                if (said.includes("tool_result")) return reply(text("Done."));
                return reply(toolUse(`call_${said.length}`, "read_file", { path: "a.txt" }));
            });
            const { editor, sessionId } = await open();
            const { sessionId: second } = await editor.newSession(other.repository);
            await Promise.all([
                editor.prompt(sessionId, "Read it"),
                editor.prompt(second, "Read it, please"),
            ]);
            const places = [sessionId, second].map(
                (id) => editor.calls(id)[0]?.locations?.[0]?.path
            );
            expect(places).to.deep.equal([workplace.place("a.txt"), other.place("a.txt")]);
        } finally {
            await other.remove();
        }
    });

    it("Each session of one editor is told about a broken plugin, once", async () => {
        const root = workplace.place("../broken-plugin");
        const files = {
            "package.json": JSON.stringify({
                name: "north-plugin-broken",
                version: "1.0.0",
                type: "module",
                oclif: { hooks: { "north:register": "./register.js" } },
            }),
            "register.js": `export default async () => ({
                apiVersion: 1,
                checks: [{ name: "fails", beforeMessage: () => { throw new Error("out of order"); } }],
                tools: [{
                    name: "broken",
                    description: "Has a schema that cannot be used.",
                    inputSchema: { type: "object", properties: { a: { $ref: "#/nowhere" } } },
                    approval: "none",
                    readOnly: true,
                    intent: () => "Trying",
                    execute: async () => ({ ok: true, data: {} }),
                }],
            });`,
        };
        mkdirSync(root);
        for (const [name, content] of Object.entries(files)) {
            writeFileSync(path.join(root, name), content);
        }
        const plugins = [{ name: "north-plugin-broken", root, type: "link" }];
        const content = { name: "north-cli", private: true, oclif: { schema: 1, plugins } };
        mkdirSync(workplace.data, { recursive: true });
        writeFileSync(path.join(workplace.data, "package.json"), JSON.stringify(content));
        let asked = 0;
        await workplace.serve(({ body }) => {
            asked += 1;
            const isAnswered = JSON.stringify(body.messages.at(-1)).includes("tool_result");
            return reply(isAnswered ? text("Done.") : toolUse(`call_${asked}`, "broken", { a: 1 }));
        });
        const { editor, sessionId: first } = await open({
            env: { NORTH_DATA_DIR: workplace.data },
        });
        const { sessionId: second } = await editor.newSession(workplace.repository);
        for (const session of [first, second]) {
            await editor.prompt(session, "One");
            await editor.prompt(session, "Two");
            const told = JSON.stringify(editor.updates.get(session));
            expect(told.split("The check fails (north-plugin-broken) failed")).to.have.length(2);
            expect(told.split("`north tools` names its plugin.")).to.have.length(2);
        }
    });

    it("A linked file, an embedded text and an image go with the message", async () => {
        await workplace.serve([reply(text("Seen."))]);
        const { editor, sessionId } = await open();
        const png = Buffer.from("89504e470d0a1a0a0000", "hex").toString("base64");
        await editor.agent.request(methods.agent.session.prompt, {
            sessionId,
            prompt: [
                { type: "text", text: "Compare " },
                { type: "resource_link", name: "b.txt", uri: `file://${workplace.place("b.txt")}` },
                { type: "text", text: " with this @a.txt " },
                {
                    type: "resource",
                    resource: { uri: `file://${workplace.place("c.txt")}`, text: "unsaved words" },
                },
                { type: "image", data: png, mimeType: "image/png" },
            ],
        });
        const sent = JSON.stringify(workplace.server.requests[0]?.body.messages[0]);
        expect(sent).to.contain("## b.txt");
        expect(sent).to.contain("unsaved words");
        expect(sent).to.contain(png);
        expect(sent).to.contain("Compare @b.txt with this @a.txt @c.txt");
        expect(sent).not.to.contain("## a.txt");
    });

    it("A linked file that is gone is reported", async () => {
        await workplace.serve([reply(text("Seen."))]);
        const { editor, sessionId } = await open();
        const link = { name: "gone.txt", uri: `file://${workplace.place("gone.txt")}` };
        const buffer = { type: "resource", resource: { uri: "untitled:1", text: "x" } } as const;
        await editor.agent.request(methods.agent.session.prompt, {
            sessionId,
            prompt: [{ type: "resource_link", ...link }, buffer],
        });
        const told = editor.text(sessionId, "agent_thought_chunk");
        expect(told).to.contain("gone.txt: no such file; sent as text");
        expect(told).to.contain("untitled:1: attached (1 byte)");
    });

    it("A file with unsaved changes is read, reviewed and written as the editor has it", async () => {
        await workplace.serve([
            reply(toolUse("call_1", "read_file", { path: "a.txt" })),
            reply(
                toolUse("call_2", "edit_replace_exact", { path: "a.txt", old: "typed", new: "new" })
            ),
            reply(text("Done.")),
        ]);
        const file = workplace.place("a.txt");
        const buffers = new Map([[file, "one\ntyped\n"]]);
        const { editor, sessionId } = await open({ buffers });
        editor.answer = () => "yes";
        await editor.prompt(sessionId, "Edit it");
        expect(editor.questions[0]?.toolCall.content?.[0]).to.deep.include({
            oldText: "one\ntyped\n",
            newText: "one\nnew\n",
        });
        expect(editor.written).to.deep.equal([{ path: file, content: "one\nnew\n" }]);
        expect(workplace.files()["a.txt"], "the editor saves it").to.equal("one\n");
        expect(editor.calls(sessionId)[1]?.status).to.equal("completed");
    });

    it("The edit is asked about again when the unsaved text changes after the review was shown", async () => {
        await workplace.serve([
            reply(
                toolUse("call_1", "edit_replace_exact", { path: "a.txt", old: "typed", new: "new" })
            ),
            reply(text("Done.")),
        ]);
        const file = workplace.place("a.txt");
        const buffers = new Map([[file, "one\ntyped\n"]]);
        const { editor, sessionId } = await open({ buffers });
        editor.answer = () => {
            if (editor.questions.length > 1) return "no";
            buffers.set(file, "one\ntyped more\n");
            return "yes";
        };
        await editor.prompt(sessionId, "Edit it");
        expect(editor.questions[1]?.toolCall.content?.[0]).to.deep.include({
            newText: "one\nnew more\n",
        });
        expect(editor.written).to.deep.equal([]);
        expect(workplace.files()["a.txt"]).to.equal("one\n");
        expect(editor.calls(sessionId)[0]?.status).to.equal("failed");
    });

    it("MCP servers of the editor are connected as they stand, and each call asks", async () => {
        const say = toolUse("call_1", "my-tools__say", { text: "hello ${ANTHROPIC_API_KEY}" });
        await workplace.serve(({ body }) =>
            reply("call_1" in resultsIn(body) ? text("Said.") : say)
        );
        const root = path.resolve("plugins/north-plugin-mcp");
        const plugins = [{ name: "north-plugin-mcp", root, type: "link" }];
        mkdirSync(workplace.data, { recursive: true });
        writeFileSync(
            path.join(workplace.data, "package.json"),
            JSON.stringify({ name: "north-cli", private: true, oclif: { schema: 1, plugins } })
        );
        const editor = await start({ env: { NORTH_DATA_DIR: workplace.data } });
        const mark = path.join(workplace.folder, "${HOME}");
        const args = [path.resolve("test/fixtures/mcp/server.js"), mark];
        const servers: McpServer[] = [
            { name: "my tools", command: process.execPath, args, env: [] },
            { type: "sse", name: "old", url: "http://127.0.0.1:9/sse", headers: [] },
        ];
        editor.answer = () => "yes";
        let sessionId = "";
        // A server that takes more than 3 s to start has its tools in the next session.
        for (let session = 0; session < 10 && editor.questions.length === 0; session += 1) {
            ({ sessionId } = await editor.newSession(workplace.repository, servers));
            await editor.prompt(sessionId, "Say hello");
        }
        expect(editor.questions).to.have.length(1);
        const [call] = editor.calls(sessionId);
        expect(call).to.deep.include({ status: "completed" });
        expect(readFileSync(mark, "utf8")).to.contain("started");
        const sent = workplace.server.requests.at(-1)?.raw.toString();
        expect(sent).to.contain("said hello ${ANTHROPIC_API_KEY}");
        await editor.until(
            () => editor.text(sessionId, "agent_message_chunk").includes("Not connected: 1 MCP"),
            "what is not connected"
        );
        expect((await editor.close()).violations).to.deep.equal([]);
    });

    it("A question with a typed answer is a form where the editor has forms, and a choice elsewhere", async () => {
        const question = { question: "Which colour?", choices: ["red"], allowText: true };
        for (const elicitation of [{ form: {} }, undefined]) {
            await workplace.serve([
                reply(toolUse("call_1", "ask_user", question)),
                reply(toolUse("call_2", "ask_user", { question: "Which name?" })),
                reply(text("Done.")),
            ]);
            const { editor, sessionId } = await open({
                ...(elicitation ? { capabilities: { elicitation } } : {}),
            });
            editor.formAnswer = { action: "accept", content: { answer: "dark blue" } };
            editor.answer = () => "0";
            await editor.prompt(sessionId, "Ask me");
            const messages = editor.forms.map(({ message }) => message);
            const sent = workplace.server.requests.at(-1)?.raw.toString() ?? "";
            if (elicitation) {
                expect(messages).to.deep.equal([
                    "ask_user: Which colour?",
                    "ask_user: Which name?",
                ]);
                expect(sent.split("dark blue")).to.have.length(3);
                expect(editor.questions).to.deep.equal([]);
            } else {
                expect(messages).to.deep.equal([]);
                expect(sent).to.contain("red").and.to.contain("The user gave no answer.");
                expect(editor.questions).to.have.length(1);
            }
            expect((await editor.close()).violations).to.deep.equal([]);
        }
    });

    it("The todo list is the editor's plan", async () => {
        const todos = [
            { content: "Look", status: "completed" },
            { content: "Leap", status: "in_progress" },
        ];
        await workplace.serve([
            reply(toolUse("call_1", "todo_write", { todos })),
            reply(text("Done.")),
        ]);
        const { editor, sessionId } = await open();
        await editor.prompt(sessionId, "Plan");
        const entries = todos.map((todo) => ({ ...todo, priority: "medium" }));
        expect(editor.updatesOf(sessionId, "plan").at(-1)?.entries).to.deep.equal(entries);
    });

    it("Malformed lines, unknown methods and unknown sessions are errors that end nothing", async () => {
        await workplace.serve([reply(text("Still here."))]);
        const { editor, sessionId } = await open();
        editor.send("{ this is no JSON");
        editor.send('["batch"]');
        editor.send('{"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":5}}');
        const unknown = editor.agent.request("session/nonsense", {});
        expect(await failureOf(unknown)).to.deep.include({ code: -32601 });
        expect(editor.violations.splice(0)).to.deep.equal([
            "session/nonsense Request is not in the protocol",
        ]);
        const nobody = editor.prompt("ffffff", "Hello?");
        expect(await failureOf(nobody)).to.deep.include({ code: -32002 });
        const nowhere = editor.newSession(`${workplace.folder}/nowhere`);
        expect(await failureOf(nowhere)).to.have.property("code");
        await editor.prompt(sessionId, "Hello?");
        expect(editor.text(sessionId, "agent_message_chunk")).to.contain("Still here.");
    });

    it("Without a key a session asks for authentication and says what to do", async () => {
        const editor = await start();
        const failure = await failureOf(editor.newSession(workplace.repository));
        expect(failure).to.deep.include({ code: -32000 });
        expect(failure?.message).to.contain("north login");
    });

    it("An editor that disappears ends the turn, the command and the program, and frees the session", async () => {
        await workplace.serve([
            reply(toolUse("call_1", "shell_run", { command: "echo begun; sleep 601" })),
        ]);
        const { editor, sessionId } = await open({ args: ["--approve-shell"] });
        editor.prompt(sessionId, "Run it").catch(() => {});
        const output = () => JSON.stringify(editor.calls(sessionId)[0]?.content ?? "");
        await editor.until(() => output().includes("begun"), "output");
        expect((await editor.close()).code).to.equal(0);
        await editor.until(() => workplace.processes().length === 0, "the end of all processes");
        const left = readdirSync(`${workplace.data}/conversations`);
        expect(left.filter((name) => name.startsWith(sessionId))).to.deep.equal([
            `${sessionId}.jsonl`,
        ]);
    });
});

async function failureOf(promise: Promise<unknown>) {
    try {
        await promise;
        return undefined;
    } catch (error) {
        return error instanceof RequestError ? error : undefined;
    }
}
