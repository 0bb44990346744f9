import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect } from "chai";
import {
    type MessagesServer,
    reply,
    startMessagesServer,
    text,
    toolUse,
} from "../helpers/vendors/messages-server.js";
import { Workplace } from "../helpers/north-program.js";
import { textsIn, unmarked } from "./requests.js";

const PNG = Buffer.from(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
    "base64"
);

const FILES = {
    "README.md": "# Lamps\n\nSwitches lamps.\n",
    "AGENTS.md": "Say lamp, never light.",
    "packages/core/AGENTS.md": "Core has no dependencies.",
    "packages/core/lamp.ts": "export class Lamp {\n    on(): void {}\n}\n",
    "packages/core/dim.ts": "export const dim = 1;\n",
    ".cursor/rules/always.mdc": "---\nalwaysApply: true\n---\nBe kind to lamps.\n",
    ".cursor/rules/typescript.mdc": "---\nglobs: *.ts, *.tsx\nalwaysApply: false\n---\nNo any.\n",
    "notes/plan.md": "# Plan\n",
};

/** The bytes of a request, without the marks that only tell the cache where to look. */
function sent(server: MessagesServer): readonly string[] {
    return server.requests.map(({ raw }) =>
        raw.toString().replace(/,"cache_control":\{[^}]*\}/g, "")
    );
}

/** Up to the end of its list of messages a request is the beginning of the next one. */
function expectToExtend(before: string, after: string): void {
    const prefix = before.replace(/\]\}?$/, "");
    expect(prefix.length).to.be.greaterThan(before.length - 3);
    expect(after.slice(0, prefix.length)).to.equal(prefix);
    expect(after[prefix.length]).to.equal(",");
}

describe("Project context", () => {
    let place: Workplace;
    let server: MessagesServer;

    beforeEach(() => {
        place = new Workplace(FILES).reusingProcess();
    });
    afterEach(async () => {
        await server.close();
        await place.remove();
    });

    const env = () => ({ ANTHROPIC_API_KEY: "test-key", ANTHROPIC_BASE_URL: server.url });

    it("Context is sent with the message that causes it and never changes what was sent", async () => {
        server = await startMessagesServer({
            script: [
                reply(text("Hello.")),
                reply(
                    toolUse("one", "read_file", { path: "packages/core/lamp.ts" }),
                    toolUse("two", "read_file", { path: "packages/core/dim.ts" }),
                    toolUse("three", "detect_languages", {})
                ),
                reply(text("Read.")),
                reply(text("Seen.")),
            ],
        });
        const memory = path.join(place.data, "memory.json");
        const profile = path.join(place.folder, "outside.txt");
        writeFileSync(profile, "from outside\n");
        writeFileSync(place.place("lamp.png"), PNG);

        expect((await place.run(["-p", "Hello"], { env: env() })).code).to.equal(0);
        const second = await place.run(["resume", "--last", "-p", "Read the lamp"], { env: env() });
        expect(second.code).to.equal(0);
        mkdirSync(path.dirname(memory), { recursive: true });
        writeFileSync(memory, JSON.stringify({ entries: [{ text: "Prefer short answers" }] }));
        const third = await place.run(
            [
                ...["resume", "--last", "-p", "--file", profile, "--file", place.place("lamp.png")],
                "See @packages/core/lamp.ts, mail a@notes or @nothing",
            ],
            { env: env() }
        );
        expect(third.code).to.equal(0);
        expect(third.stderr).to.contain("packages/core/lamp.ts: attached (3 lines)");
        server.assertDone();

        const bodies = sent(server);
        bodies.slice(1).forEach((body, index) => expectToExtend(bodies[index] ?? "", body));
        const [first, , afterTools, last] = server.requests.map(({ body }) => body);

        const beginning = textsIn(first);
        const order = ["Project card", "Be kind to lamps.", "Say lamp", "Hello"];
        const places = order.map((what) => beginning.findIndex((part) => part.includes(what)));
        expect(places)
            .to.deep.equal([...places].sort((a, b) => a - b))
            .and.not.include(-1);
        expect(beginning.join()).not.to.contain("No any.").and.not.to.contain("Core has no");
        expect(beginning.join()).to.contain("Switches lamps.");

        const results = afterTools?.messages.at(-1)?.content.map(({ content }) => String(content));
        expect(results?.[0]).to.contain("No any.").and.to.contain("Core has no dependencies.");
        expect(results?.[1]).not.to.contain("No any.").and.not.to.contain("Core has no");
        expect(results?.[2]).to.contain("TypeScript");

        const added = JSON.stringify(unmarked(last).at(-1));
        expect(added).to.contain("Prefer short answers").and.to.contain("from outside");
        expect(added).to.contain("class Lamp (line 1)").and.to.contain(PNG.toString("base64"));
        expect(added).not.to.contain("# Plan").and.not.to.contain("Core has no dependencies.");
    });

    it("A missing file of --file is named, and nothing is sent", async () => {
        server = await startMessagesServer({ script: [] });
        const end = await place.run(["-p", "Hello", "--file", "gone.txt"], { env: env() });
        expect(end.code).to.equal(1);
        expect(end.stderr).to.contain("There is no file gone.txt to attach.");
        server.assertDone();
    });

    it("Instructions of a folder that are not sent are named by the end of the turn that uses it", async () => {
        server = await startMessagesServer({
            script: [
                reply(toolUse("one", "read_file", { path: "linked/a.txt" })),
                reply(text("Read.")),
            ],
        });
        const folder = path.join(place.repository, "linked");
        mkdirSync(folder);
        writeFileSync(path.join(folder, "a.txt"), "a\n");
        symlinkSync("../README.md", path.join(folder, "AGENTS.md"));
        const { stderr } = await place.run(["-p", "Read it"], { env: env() });
        expect(stderr).to.contain("linked/AGENTS.md is not sent to the model: it is a link.");
    });

    it("The model learns in which folder of the repository the user is", async () => {
        server = await startMessagesServer({ script: () => reply(text("Fine.")) });
        const told = async (args: readonly string[], cwd: string) => {
            await place.run(["-p", ...args, "Run the tests"], { env: env(), cwd });
            return textsIn(server.requests.at(-1)?.body).join();
        };
        const below = path.join(place.repository, "packages/core");
        expect(await told([], below)).to.contain(
            "(a git repository). The user is in packages/core."
        );
        expect(await told(["--path", below], place.folder)).to.contain("is in packages/core.");
        expect(await told([], place.repository)).not.to.contain("The user is in");
        expect(await told(["--path", place.repository], below)).not.to.contain("The user is in");
    });

    it("A path in piped text is not taken for a mention", async () => {
        server = await startMessagesServer({ script: [reply(text("Fine."))] });
        const end = await place.run(["-p", "Review this"], {
            env: env(),
            stdin: { text: "Look at @notes/plan.md\n" },
        });
        expect(end.code).to.equal(0);
        expect(textsIn(server.requests[0]?.body).join()).not.to.contain("Attached Files");
    });

    it("A path in a prompt that is only piped in is not taken for a mention", async () => {
        server = await startMessagesServer({ script: [reply(text("Fine."))] });
        await place.run(["-p"], { env: env(), stdin: { text: "Look at @notes/plan.md\n" } });
        expect(textsIn(server.requests[0]?.body).join()).not.to.contain("Attached Files");
    });

    it("The facts are cached in a file that git does not see", async () => {
        server = await startMessagesServer({ script: [reply(text("Fine."))] });
        await place.run(["-p", "Hello"], { env: env() });
        const cache = path.join(".north", "cache.json");
        expect(readFileSync(place.place(cache), "utf8")).to.contain("TypeScript");
        const status = execFileSync("git", ["status", "--porcelain"], {
            cwd: place.repository,
            encoding: "utf8",
        });
        expect(status).not.to.contain(".north");
    });
});
