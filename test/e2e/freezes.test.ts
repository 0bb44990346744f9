import * as fs from "node:fs";
import path from "node:path";
import { expect } from "chai";
import { ClaudeWorkplace, IDLE } from "../helpers/claude-workplace.js";
import {
    reply,
    text,
    toolUse,
    type ReceivedRequest,
    type Reply,
} from "../helpers/vendors/messages-server.js";

const ASKED = /› n no/;
const stalled: Reply = { ...reply(text("")), interruption: { afterEvents: 1, how: "stall" } };
const call = (name: string, input: Record<string, unknown>): Reply =>
    reply(toolUse("call_1", name, input));

/** What once held North for minutes, and what is on the screen when Ctrl+C is pressed. */
const HOSTILE: Readonly<Record<string, readonly [Reply, RegExp | string]>> = {
    "a command with git's option repeated": [
        call("shell_run", { command: `git ${"-c ".repeat(60)}` }),
        ASKED,
    ],
    "a fence of thousands of marks": [
        {
            ...reply(text(`~~~${"~".repeat(6_000)}\`\nmore\nand more\n`, 1_000)),
            interruption: { afterEvents: 10, how: "stall" },
        },
        "and more",
    ],
    "a glob of many wildcards": [
        call("find_files", { pattern: `${"*a".repeat(12)}*b` }),
        "· 0 files",
    ],
    "a pattern in a plugin's schema": [
        call("hostile", { n: `${"a".repeat(5_000)}!` }),
        "Invalid input: `n`",
    ],
    "a command with thousands of tabs": [
        call("shell_run", { command: `echo${"\t".repeat(25_000)}end` }),
        ASKED,
    ],
    "a search for a regular expression that takes minutes": [
        call("search_text", { query: "\\p{L}{500}".repeat(20), regex: true }),
        "Searching",
    ],
    "a source file that no parser gets through": [
        call("get_file_outline", { path: "nested.sh" }),
        "Outlining nested.sh",
    ],
};

const PLUGIN = `
const schema = {
    type: "object", properties: { n: { type: "string", pattern: "^(a+)+$" } }, required: ["n"],
};
const hostile = {
    name: "hostile", description: "Matches.", approval: "none", readOnly: true, inputSchema: schema,
    intent: () => "Matching", execute: async () => ({ ok: true, data: {} }),
};
export default async () => ({ apiVersion: 1, tools: [hostile] });
`;

describe("Texts that once froze North", () => {
    let place: ClaudeWorkplace;

    beforeEach(() => {
        place = new ClaudeWorkplace({
            ["a".repeat(200)]: "",
            "long.txt": "é".repeat(150_000),
            "nested.sh": "$(".repeat(30_000),
        });
        const root = path.join(place.folder, "hostile-plugin");
        fs.mkdirSync(root);
        const hooks = { "north:register": "./register.js" };
        const about = {
            name: "hostile-plugin",
            version: "1.0.0",
            type: "module",
            oclif: { hooks },
        };
        fs.writeFileSync(path.join(root, "package.json"), JSON.stringify(about));
        fs.writeFileSync(path.join(root, "register.js"), PLUGIN);
        const plugins = [{ name: "hostile-plugin", root, type: "link" }];
        const linked = { name: "north-cli", private: true, oclif: { schema: 1, plugins } };
        fs.writeFileSync(path.join(place.data, "package.json"), JSON.stringify(linked));
    });
    afterEach(() => place.remove());

    for (const [what, [hostile, sign]] of Object.entries(HOSTILE)) {
        it(`Ctrl+C during ${what} cancels, and the next message is answered`, async () => {
            const nextReply = ({ body }: ReceivedRequest): Reply => {
                const last = JSON.stringify(body.messages.at(-1));
                if (last.includes("Check")) return reply(text("Checked."));
                return last.includes("tool_result") ? stalled : hostile;
            };
            await place.serve(nextReply);
            const terminal = await place.chat([], {
                env: { NORTH_DISABLE_RIPGREP: "1", NORTH_DATA_DIR: place.data },
            });
            terminal.type("Go\r");
            await terminal.waitFor(sign);
            terminal.press("ctrl-c");
            await terminal.waitUntil(
                (screen) => terminal.transcript().includes("[Cancelled]") && IDLE.test(screen),
                "the prompt"
            );
            terminal.type("Check\r");
            await terminal.waitFor("● Checked.");
            expect(place.server.problems).to.deep.equal([]);
        });
    }
});
