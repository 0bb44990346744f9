import * as fs from "node:fs";
import path from "node:path";
import { expect } from "chai";
import { ClaudeWorkplace } from "../helpers/claude-workplace.js";
import { reply, text, toolUse } from "../helpers/vendors/messages-server.js";

const FIXTURES = path.resolve("test/fixtures/coming-over");
const REPOSITORIES = fs
    .readdirSync(FIXTURES, { withFileTypes: true })
    .flatMap((entry) => (entry.isDirectory() ? entry.name : []));

/** Files that the model reads, so that what counts for them is sent. */
const USED: Readonly<Record<string, string>> = {
    sentry: "src/page.spec.tsx",
    posthog: "products/maps/backend/migrations/0001_first.py",
    vscode: "src/dts/chat/proposed.chat.d.ts",
    supabase: "apps/studio/pages/home.tsx",
};
/** What a model is told about the repository beside its facts, in texts and results of tools. */
const TOLD =
    /(?<=<system-reminder>\n)# (?:Instructions|Project rules|Skills|Agents)\b[^]*?(?=\n<\/system-reminder>)/g;
/** Where the import writes. */
const WRITTEN = [".mcp.json", ".north/hooks.json", ".north/allowlist.json"];

interface Check {
    readonly name: string;
    readonly found: string;
}

interface Setting {
    readonly what: string;
    readonly from: string;
    readonly to?: string;
    readonly reason?: string;
}

describe("Public repositories of other assistants", () => {
    let place: ClaudeWorkplace;

    beforeEach(() => {
        place = new ClaudeWorkplace().reusingProcess();
    });
    afterEach(() => place.remove());

    async function json(...args: readonly string[]) {
        const end = await place.run([...args, "--json"]);
        expect(end.code, end.stderr).to.equal(0);
        return JSON.parse(end.stdout);
    }

    /** What is sent to the model beside the project's facts, in order. */
    async function sentContext(used: string | undefined): Promise<readonly string[]> {
        const read = toolUse("t1", "read_file", { path: used ?? "" });
        await place.serve([...(used === undefined ? [] : [reply(read)]), reply(text("Done."))]);
        const end = await place.run(["-p", "Look around"]);
        expect(end.code, end.stderr).to.equal(0);
        const blocks = place.server.requests
            .at(-1)
            ?.body.messages.flatMap(({ content }) => content);
        return (blocks ?? []).flatMap((block) => {
            const told = String(block.type === "tool_result" ? block.content : block.text);
            return told.match(TOLD) ?? [];
        });
    }

    async function listed() {
        const all: { readonly origin: string }[] = (await json("commands")).commands;
        const commands = all.filter(({ origin }) => !path.isAbsolute(origin));
        const { agents, problems } = await json("tools");
        const { checks } = JSON.parse((await place.run(["doctor", "--json"])).stdout);
        const servers = (checks as Check[]).filter((check) => check.name === "MCP servers");
        return { commands, agents, problems, servers: servers.map(({ found }) => found) };
    }

    /** By assistant `name (file) > file of North: remark`, and what a yes writes. */
    async function imported() {
        const { found } = await json("import");
        const before = place.files();
        const entries: [string, object][] = [];
        for (const { tool } of found as { readonly tool: string }[]) {
            const { taken, left } = await json("import", tool, "--dry-run");
            const line = ({ what, from, to, reason }: Setting) =>
                `${what} (${from})${to === undefined ? "" : ` > ${to}`}${reason === undefined ? "" : `: ${reason}`}`;
            expect(place.files(), "after --dry-run").to.deep.equal(before);
            entries.push([tool, { taken: taken.map(line), left: left.map(line) }]);
        }
        for (const [tool] of entries) await json("import", tool, "--force");
        const files = WRITTEN.filter((file) => fs.existsSync(place.place(file)));
        const written = files.map((file) => [
            file,
            JSON.parse(fs.readFileSync(place.place(file), "utf8")),
        ]);
        return { imported: Object.fromEntries(entries), written: Object.fromEntries(written) };
    }

    for (const name of REPOSITORIES) {
        it(`Everything in ${name} is imported word for word, or skipped with a reason`, async () => {
            const folder = path.join(FIXTURES, name);
            const expected = path.join(folder, "expected.json");
            fs.cpSync(folder, place.repository, {
                recursive: true,
                filter: (file) => file !== expected,
            });
            const actual = {
                sent: await sentContext(USED[name]),
                ...(await listed()),
                ...(await imported()),
            };
            expect(actual).to.deep.equal(JSON.parse(fs.readFileSync(expected, "utf8")));
        });
    }
});
