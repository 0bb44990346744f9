import { chmodSync, copyFileSync, mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect } from "chai";
import { NorthError, type ToolContext, type Workspace } from "north-cli/plugin";
import { eventually } from "../../../test/helpers/north-program.js";
import { PATIENCE_MS, patient } from "../../../test/helpers/patience.js";
import { describeContained } from "../../../test/shell/containment/contained.js";
import { renameTool } from "../src/rename.js";
import { changeSet, Workplace } from "./workplace.js";

/** Short limits are only for servers that never answer, which no busy machine can upset. */
const LIMITS = { start: PATIENCE_MS, request: PATIENCE_MS, review: 500, idle: 600_000 };
const SHORT_MS = 1_000;

describeContained("A language server that misbehaves", function () {
    this.timeout(patient(120_000));
    let place: Workplace;

    const behave = (how: string) =>
        writeFileSync(path.join(place.project.root, "behaviour.ts"), `// ${how}\n`);
    const code = (work: Promise<unknown>) =>
        work.then(
            () => "answered",
            (error) => (error instanceof NorthError ? `${error.code}: ${error.message}` : error)
        );
    const ask = (name = "hover") => code(place.call(name, { path: "a.ts", line: 1, symbol: "a" }));

    const makePlace = async (limits = LIMITS) => {
        place = await Workplace.make({ "a.ts": "let a = 1;\n" }, process.env.PATH, limits);
        const folder = path.join(place.project.root, "node_modules/.bin");
        mkdirSync(folder, { recursive: true });
        const program = path.join(folder, "typescript-language-server");
        copyFileSync("test/fixtures/lsp/scripted-server.js", program);
        writeFileSync(path.join(folder, "package.json"), '{"type": "module"}');
        chmodSync(program, 0o755);
    };
    beforeEach(() => makePlace());
    afterEach(() => place.pool.stop());

    for (const [how, said] of [
        ["crash", /^server-ended: .* is gone: it exited with 2: panic: index out of range/],
        ["flood", /^(server-ended: .* is gone: it was stopped|timeout)/],
        ["huge", /^(server-ended: .* is gone: it was stopped|timeout)/],
        ["garbage", /^(server-ended: .* is gone: it was stopped|timeout)/],
        ["nonsense", /^invalid-answer/],
    ] as const) {
        it(`fails the call in its limit and starts again for the next one: ${how}`, async () => {
            behave(how);
            expect(await ask("go_to_definition")).to.match(said);
            behave("well");
            expect(await ask()).to.equal("answered");
        });
    }

    it("fails the call in its limit and starts again for the next one: hang", async () => {
        const limits = { ...LIMITS, request: SHORT_MS };
        await makePlace(limits);
        behave("hang");
        expect(await ask("go_to_definition")).to.match(
            /^timeout: typescript-language-server took longer than 1 s/
        );
        limits.request = LIMITS.request;
        behave("well");
        expect(await ask()).to.equal("answered");
    });

    it("leaves no timer behind when it is stopped within a message", async () => {
        const timers = () =>
            process.getActiveResourcesInfo().filter((kind) => kind === "Timeout").length;
        // Mocha's own timer begins when a test first waits.
        await Promise.resolve();
        const before = timers();
        behave("huge");
        await ask();
        place.pool.stop();
        await eventually(() => timers() === before, "timers of a server that is gone");
    });

    it("is named with its last words if it does not start, and left alone after three times", async () => {
        behave("exit");
        for (let turn = 0; turn < 3; turn += 1) {
            expect(await ask()).to.match(/it exited with 3: no such version/);
        }
        expect(await ask()).to.match(/has failed 3 times and is not started again/);
        expect(place.started.length).to.equal(3);
    });

    it("is asked again what it has cancelled itself", async () => {
        behave("cancel");
        expect(await ask()).to.equal("answered");
    });

    it("is left alone after it has not answered three times", async () => {
        await makePlace({ ...LIMITS, request: SHORT_MS });
        behave("hang");
        for (let turn = 0; turn < 3; turn += 1) expect(await ask()).to.match(/^timeout/);
        expect(await ask()).to.match(/has failed 3 times and is not started again/);
        expect(place.started.length).to.equal(3);
    });

    it("ends when nobody uses it, and the next call starts it again", async () => {
        await makePlace({ ...LIMITS, idle: 50 });
        behave("well");
        for (let start = 1; start <= 5; start += 1) {
            expect(await ask()).to.equal("answered");
            expect(place.started.length).to.equal(start);
            while (place.pool.for("a.ts")?.isRunning) {
                await new Promise((resolve) => setTimeout(resolve, 10));
            }
        }
    });

    it("is stopped if it never starts up", async () => {
        await makePlace({ ...LIMITS, start: SHORT_MS });
        behave("silent");
        expect(await ask()).to.match(/^timeout: .* took longer than 1 s/);
    });

    it("does not hold up a review beyond its limit", async () => {
        await makePlace({ ...LIMITS, request: SHORT_MS });
        behave("hang");
        const proposal = await changeSet(place, { "a.ts": "let a: string = 1;\n" });
        expect(await place.findings(proposal)).to.deep.equal([]);
        let note: string | undefined;
        while (note === undefined) {
            ({ note } = await place.told());
            await new Promise((resolve) => setTimeout(resolve, 50));
        }
        expect(note).to.match(/^Types were not checked: typescript-language-server took longer/);
    });

    it("is asked about each of several proposals at once", async () => {
        await makePlace({ ...LIMITS, request: SHORT_MS });
        behave("hang");
        const proposal = await changeSet(place, { "a.ts": "let a: string = 1;\n" });
        const both = [place.findings(proposal), place.findings(proposal)];
        expect(await Promise.all(both)).to.deep.equal([[], []]);
    });

    it("changes nothing outside of the project with a rename", async () => {
        behave("outside");
        const input = { path: "a.ts", line: 1, symbol: "a", new_name: "b" };
        const refused = await code(renameTool(place.pool).propose(input, place.context));
        expect(refused).to.match(/^not-editable: .*\/etc\/passwd/);
    });

    it("changes no file with a rename that has changed since it was shown", async () => {
        behave("rename");
        const file = path.join(place.project.root, "b.ts");
        writeFileSync(file, "let a = 2;\n");
        const rename = (context: ToolContext) =>
            renameTool(place.pool).propose(
                { path: "a.ts", line: 1, symbol: "a", new_name: "b" },
                context
            );
        const proposal = await rename(place.context);
        expect(proposal.ok && proposal.changeSet.changes.length).to.equal(2);
        const { workspace } = place.context;
        const overtaken: Workspace = Object.create(workspace, {
            read: {
                value: async (...[name, options]: Parameters<Workspace["read"]>) => {
                    if (name === "b.ts") writeFileSync(file, "// formatted\nlet a = 2;\n");
                    return workspace.read(name, options);
                },
            },
        });
        const refused = await code(rename({ ...place.context, workspace: overtaken }));
        expect(refused).to.equal(
            "changed-meanwhile: b.ts changed while typescript-language-server answered."
        );
    });

    it("leaves a cancelled call at once", async () => {
        behave("hang");
        const stop = new AbortController();
        const call = place
            .tool("hover")
            .execute(
                { path: "a.ts", line: 1, symbol: "a" },
                { ...place.context, signal: stop.signal }
            );
        stop.abort(new Error("cancelled"));
        expect(await call.catch((error) => error.message)).to.equal("cancelled");
    });
});
