import * as fs from "node:fs";
import path from "node:path";
import { expect } from "chai";
import { eventually, Workplace } from "../helpers/north-program.js";
import {
    reply,
    startMessagesServer,
    toolUse,
    type MessagesServer,
} from "../helpers/vendors/messages-server.js";

const COMPUTE = "for (;;);";
/** As busy to everybody else, and nearly free: it is in JavaScript, where it can be interrupted, each time. */
const BLOCK = "for (;;) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5);";

/** A tool that blocks the main thread. */
const REGISTER = `
    import { writeFileSync } from "node:fs";
    const block = {
        name: "block",
        description: "Blocks.",
        approval: "none",
        readOnly: true,
        inputSchema: { type: "object", properties: { mark: { type: "string" } } },
        intent: () => "Blocking",
        execute({ mark }) {
            writeFileSync(mark, "");
            ${BLOCK}
        },
    };
    export default async () => ({ apiVersion: 1, tools: [block] });
`;

const BLOCKS_AT_START = `
    import { writeFileSync } from "node:fs";
    export default async () => {
        if (process.env.MARK) writeFileSync(process.env.MARK, "");
        ${BLOCK}
    };
`;

/** North's own code, standing still once the run is watched. */
const BLOCKS_WHEN_WATCHED = `
    import { writeFileSync } from "node:fs";
    setInterval(() => {
        if (!(Symbol.for("north:interrupt") in globalThis)) return;
        writeFileSync(process.env.MARK, "");
        ${BLOCK}
    }, 50).unref();`;

/** Later versions of Node let no worker hear signals: docs/security.md. */
const hearsEarlySignals = Number.parseInt(process.versions.node, 10) < 24;

describe("A main thread that computes for ever", () => {
    let place: Workplace;
    let server: MessagesServer;
    let env: Record<string, string>;
    let mark: string;

    beforeEach(async () => {
        place = new Workplace();
        mark = path.join(place.folder, "mark");
        const root = path.join(place.folder, "plugin");
        const name = "north-plugin-blocks";
        const hooks = { "north:register": "./register.js" };
        write(path.join(root, "register.js"), REGISTER);
        write(
            path.join(root, "package.json"),
            JSON.stringify({ name, version: "1.0.0", type: "module", oclif: { hooks } })
        );
        const plugins = [{ name, root, type: "link" }];
        write(
            path.join(place.data, "package.json"),
            JSON.stringify({ name: "north-cli", private: true, oclif: { schema: 1, plugins } })
        );
        server = await startMessagesServer({
            script: () => reply(toolUse("block_1", "block", { mark })),
        });
        env = {
            NORTH_DATA_DIR: place.data,
            ANTHROPIC_API_KEY: "a-key-of-the-test",
            ANTHROPIC_BASE_URL: server.url,
        };
    });
    afterEach(async () => {
        await server.close();
        await place.remove();
    });

    function write(file: string, content: string): void {
        fs.mkdirSync(path.dirname(file), { recursive: true });
        fs.writeFileSync(file, content);
    }

    /** The tool really computes. */
    const compute = () =>
        write(path.join(place.folder, "plugin/register.js"), REGISTER.replace(BLOCK, COMPUTE));

    const isBlocked = () => eventually(() => fs.existsSync(mark), "the tool");

    function expectWholeLog([id = ""] = place.conversationIds()): void {
        const call = JSON.stringify(place.records(id));
        expect(call).to.contain("Work on it").and.to.contain("block_1");
    }

    /** How a run ends that is sent SIGTERM until it does. */
    async function terminated(run: ReturnType<typeof place.start>) {
        let isOver = false;
        void run.ended.then(() => (isOver = true));
        await eventually(() => {
            run.kill("SIGTERM");
            return isOver;
        }, "the end");
        return run.ended;
    }

    it("One SIGTERM ends a program that computes, and its log is whole", async function () {
        if (!hearsEarlySignals) this.skip();
        compute();
        const run = place.start(["-p", "Work on it"], { env });
        await isBlocked();
        run.kill("SIGTERM");
        const end = await run.ended;
        expect(end.signal).to.equal("SIGTERM");
        expect(end.stderr).to.contain("North stopped responding and was terminated.");
        expectWholeLog();
    });

    it("A SIGTERM ends a program once it has computed for a while, and its log is whole", async () => {
        const run = place.start(["-p", "Work on it"], { env });
        await isBlocked();
        expect((await terminated(run)).signal).to.be.oneOf(["SIGTERM", "SIGKILL"]);
        expectWholeLog();
    });

    it("A run without plugins is watched once it lasts: a SIGTERM ends it too", async () => {
        fs.rmSync(path.join(place.data, "package.json"));
        const vendor = await startMessagesServer({ script: [{ gate: new Promise(() => {}) }] });
        const preload = `--import=data:text/javascript,${encodeURIComponent(BLOCKS_WHEN_WATCHED)}`;
        const ofRun = { ANTHROPIC_BASE_URL: vendor.url, NODE_OPTIONS: preload, MARK: mark };
        const run = place.start(["-p", "Work on it"], { env: { ...env, ...ofRun } });
        try {
            await isBlocked();
            const { signal, stderr } = await terminated(run);
            expect(signal).to.be.oneOf(["SIGTERM", "SIGKILL"]);
            if (hearsEarlySignals) expect(stderr).to.contain("North stopped responding");
        } finally {
            await vendor.close();
        }
    });

    it("--timeout ends a program that computes with its JSON result, and its log is whole", async () => {
        const args = ["-p", "Work on it", "--output-format", "json"];
        const end = await place.runIntoLimit(args, { env }, () => fs.existsSync(mark));
        expect(end.signal).to.equal("SIGTERM");
        const result = JSON.parse(end.stdout);
        expect(result).to.deep.include({ stopReason: "timeout", isError: true, turns: 1 });
        expect(result.usage.outputTokens).to.be.greaterThan(0);
        expectWholeLog([result.conversationId]);
    });

    it("--timeout ends a program that begins to compute only after that time", async () => {
        const begin = "export default async () => {";
        const pause = "await new Promise((resolve) => setTimeout(resolve, 2_000));";
        const program = BLOCKS_AT_START.replace(begin, `${begin} ${pause}`);
        write(path.join(place.folder, "plugin", "register.js"), program);
        const args = ["-p", "Work on it", "--timeout", "0.1", "--output-format", "json"];
        const end = await place.run(args, { env: { ...env, MARK: mark } });
        expect(fs.existsSync(mark)).to.equal(true);
        expect(end.signal).to.equal("SIGTERM");
        expect(JSON.parse(end.stdout).error.code).to.equal("timeout");
    });

    it("--timeout ends a program whose plugin computes at the start, with one JSON result", async () => {
        write(path.join(place.folder, "plugin", "register.js"), BLOCKS_AT_START);
        const args = ["-p", "Work on it", "--timeout", "1", "--output-format", "json"];
        const end = await place.run(args, { env });
        expect(end.signal).to.equal("SIGTERM");
        expect(JSON.parse(end.stdout).error.code).to.equal("timeout");
    });

    it("One Ctrl+C ends a chat whose plugin computes at the start", async () => {
        write(path.join(place.folder, "plugin", "register.js"), BLOCKS_AT_START);
        const terminal = place.open([], { env: { ...env, MARK: mark } });
        await terminal.waitFor("❯");
        await isBlocked();
        terminal.press("ctrl-c");
        expect((await terminal.exit()).signal).to.equal(2);
    });

    it("One Ctrl+C ends a chat that computes, its log is whole and the terminal as before", async () => {
        compute();
        const terminal = place.open([], { env });
        await terminal.waitFor("❯");
        terminal.type("Work on it");
        terminal.press("enter");
        await isBlocked();
        terminal.type("unread");
        terminal.press("ctrl-c");
        const end = await terminal.exit();
        expect(end.signal).to.equal(2);
        expect(terminal.raw()).to.contain("\u001b[?2004l");
        expectWholeLog();
    });

    it("Three Ctrl+C at once end a chat that computes", async () => {
        const terminal = place.open([], { env });
        await terminal.waitFor("❯");
        terminal.type("Work on it");
        terminal.press("enter");
        await isBlocked();
        for (let press = 0; press < 3; press += 1) terminal.press("ctrl-c");
        expect((await terminal.exit()).signal).to.equal(2);
    });
});
