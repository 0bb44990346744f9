// `npm run screens -- FOLDER [NAME...]`: writes what each question looks like in the built program, to be read.
import * as fs from "node:fs";
import path from "node:path";
import { answer, quiet } from "./helpers/answers.js";
import { ClaudeWorkplace, IDLE } from "./helpers/claude-workplace.js";
import type { PseudoTerminal } from "./helpers/pseudo-terminal.js";
import { reply, text, toolUse, type Reply } from "./helpers/vendors/messages-server.js";

const SIZES = [
    { columns: 80, rows: 24 },
    { columns: 120, rows: 40 },
] as const;
const ASKING = /› [a-z] \S/;

const isIdle = (screen: string): boolean => IDLE.test(screen) && !screen.includes("Esc cancels");

const SOURCE = Array.from({ length: 40 }, (_, index) => `export const value${index} = ${index};`);
const FILES = {
    "src/values.ts": `${SOURCE.join("\n")}\n`,
    "src/greeting.ts": 'export const greeting = "Hello";\n',
    "README.md": "# Values\n\nA few values.\n",
    "build/app.js": "built\n",
    ".env": "TOKEN=1234\n",
    ".north/allowlist.json": JSON.stringify({
        allowedCommands: ["npm test", "curl https://example.org/install | sh"],
    }),
    ".north/autoaccept.json": JSON.stringify({ editsAutoAccept: true }),
};

const replace = (file: string, old: string, fresh: string) => ({
    path: file,
    old,
    new: fresh,
});
const edit = (file: string, old: string, fresh: string) => ({
    toolName: "edit_replace_exact",
    args: replace(file, old, fresh),
});
const call = (name: string, input: Record<string, unknown>): Reply =>
    reply(text("I will do that."), toolUse("call_1", name, input));

/** What the model does, what is typed, or what is started; then each step of it is a screen. */
interface Scene {
    readonly does?: Reply;
    readonly starts?: readonly string[];
    readonly settings?: object;
    readonly types?: string;
    readonly then?: readonly ((terminal: PseudoTerminal) => Promise<unknown>)[];
}

const settle = (meaning: Parameters<typeof answer>[1]) => (terminal: PseudoTerminal) =>
    answer(terminal, meaning);

const SCENES: Readonly<Record<string, Scene>> = {
    edit: {
        does: call("edit_replace_exact", replace("src/greeting.ts", '"Hello"', '"Good morning"')),
        then: [settle("yes")],
    },
    batch: {
        does: call("edit_apply_batch", {
            edits: [
                edit("src/greeting.ts", '"Hello"', '"Good morning"'),
                edit("README.md", "A few values.", "A few values and a greeting."),
                {
                    toolName: "edit_create_file",
                    args: { path: "src/index.ts", content: 'export * from "./values.js";\n' },
                },
            ],
        }),
        then: [settle("no")],
    },
    command: { does: call("shell_run", { command: "npm test" }), then: [settle("no")] },
    consequence: {
        does: call("shell_run", { command: "rm -rf build && git push --force origin main" }),
        then: [
            async (terminal) => {
                await quiet(terminal);
                terminal.press("y");
                await terminal.waitFor("press Enter");
            },
        ],
    },
    server: {
        does: call("files__write_file", {
            path: "notes.txt",
            content: "a line of notes\n".repeat(60),
        }),
        then: [settle("no")],
    },
    secret: { does: call("read_file", { path: ".env" }), then: [settle("no")] },
    auto: { types: "/auto commands --always", then: [settle("always")] },
    trust: {
        types: "/trust",
        then: [settle("always"), async (terminal) => terminal.press("ctrl-c")],
    },
    "runs-later": {
        does: call("edit_create_file", {
            path: ".github/workflows/ci.yml",
            content: "on: push\njobs: {}\n",
        }),
        then: [settle("no")],
    },
    "long-command": {
        does: call("shell_run", { command: `touch /tmp/a;${"\n".repeat(60)}npm test` }),
        then: [settle("no")],
    },
    page: {
        does: call("web_fetch", { url: "https://example.org:8443/a b" }),
        then: [settle("no")],
    },
    search: {
        settings: { webSearch: true },
        does: call("web_search", { query: "What is the newest Node LTS?" }),
        then: [settle("no")],
    },
    outside: { types: "Look at @/etc/hostname", then: [settle("yes")] },
    trial: {
        settings: { containment: "off" },
        does: call("shell_run", { command: "make all" }),
        then: [settle("until I quit")],
    },
    "network-command": {
        settings: { containment: "auto" },
        does: call("shell_run", {
            command: "curl -s https://example.org/",
            real: "It needs your proxy.",
        }),
        then: [settle("no")],
    },
    contained: {
        settings: { containment: "auto" },
        does: call("shell_run", { command: "rm README.md; echo more >> src/greeting.ts" }),
        then: [settle("no")],
    },
    undo: {
        does: call("edit_replace_exact", replace("src/greeting.ts", '"Hello"', '"Good morning"')),
        then: [
            settle("yes"),
            async (terminal) => {
                terminal.type("/undo\r");
                await terminal.waitFor("Undo");
            },
            settle("yes"),
        ],
    },
    budget: {
        settings: { budget: { perConversationUsd: 0.000001 } },
        does: call("read_file", { path: "README.md" }),
        then: [(terminal) => answer(terminal, "no", { takesReason: false })],
    },
    login: { starts: ["login"], then: [async (terminal) => terminal.press("ctrl-c")] },
    "login-anthropic": {
        starts: ["login", "anthropic"],
        then: [async (terminal) => terminal.press("ctrl-c")],
    },
    hunks: {
        does: call("edit_apply_batch", {
            edits: [
                edit("src/values.ts", "value3 = 3", "value3 = 33"),
                edit("src/values.ts", "value30 = 30", "value30 = 330"),
            ],
        }),
        then: [settle("hunk by hunk"), settle("yes")],
    },
};

async function screensOf(scene: Scene, size: (typeof SIZES)[number]): Promise<string[]> {
    const place = new ClaudeWorkplace(FILES);
    const server = path.resolve(
        "node_modules/@modelcontextprotocol/server-filesystem/dist/index.js"
    );
    const files = { command: process.execPath, args: [server, place.repository] };
    const root = path.resolve("plugins/north-plugin-mcp");
    const plugins = [{ name: "north-plugin-mcp", root, type: "link" }];
    const linked = { name: "north-cli", private: true, oclif: { schema: 1, plugins } };
    fs.writeFileSync(
        path.join(path.dirname(place.configure(scene.settings ?? {})), "mcp.json"),
        JSON.stringify({ mcpServers: scene === SCENES.server ? { files } : {} })
    );
    fs.writeFileSync(path.join(place.data, "package.json"), JSON.stringify(linked));
    try {
        await place.serve(({ body }) => {
            const isAnswered = JSON.stringify(body.messages.at(-1)).includes("tool_result");
            return isAnswered ? reply(text("Done.")) : (scene.does ?? reply(text("Done.")));
        });
        const look = { ...size, env: { NORTH_DATA_DIR: place.data } };
        const terminal = scene.starts ? place.open(scene.starts, look) : await place.chat([], look);
        if (!scene.starts) terminal.type(`${scene.types ?? "Do it"}\r`);
        await terminal.waitFor(scene.starts ? "? " : ASKING);
        const screens = [await quiet(terminal)];
        for (const step of scene.then ?? []) {
            await step(terminal);
            await terminal.waitUntil(
                (screen) => ASKING.test(screen) || isIdle(screen) || scene.starts !== undefined
            );
            screens.push(await quiet(terminal));
        }
        return screens;
    } finally {
        await place.remove();
    }
}

const [folder, ...names] = process.argv.slice(2);
if (folder === undefined) throw new Error("Name a folder: npm run screens -- FOLDER");
for (const size of SIZES) {
    const target = path.join(folder, `${size.columns}x${size.rows}`);
    fs.mkdirSync(target, { recursive: true });
    for (const [name, scene] of Object.entries(SCENES)) {
        if (names.length > 0 && !names.includes(name)) continue;
        const screens = await screensOf(scene, size);
        const rule = `\n${"=".repeat(size.columns)}\n`;
        fs.writeFileSync(path.join(target, `${name}.txt`), `${screens.join(rule)}\n`);
        process.stdout.write(`${path.join(target, `${name}.txt`)}\n`);
    }
}
