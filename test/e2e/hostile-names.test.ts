import * as fs from "node:fs";
import { expect } from "chai";
import { ClaudeWorkplace, IDLE } from "../helpers/claude-workplace.js";
import { openTerminal, type PseudoTerminal } from "../helpers/pseudo-terminal.js";
import { PROGRAM } from "../helpers/north-program.js";
import { failure, reply, text, toolUse } from "../helpers/vendors/messages-server.js";

/** Copies to the clipboard, clears the screen, hides: whatever a name must not do. */
const EVIL = "evil\u001b]52;c;aGk=\u0007\u001b[2J\u009b31m\u3164\u200b\u202e\u00a0\u{e0041}name";
/** What may not be printed but as colours, line ends and the terminal's own modes. */
const RAW = /\u001b\]52|\u001b\[2J|[\u0007\u009b\u3164\u200b\u202e\u00a0\u{e0041}]/u;

const CONTROL = /\u001b\]52|\u001b\[2J|[\u0007\u009b\u202e]/u;

describe("names, titles and ids that try to control the terminal", () => {
    let place: ClaudeWorkplace;
    let terminal: PseudoTerminal | undefined;

    beforeEach(async () => {
        place = new ClaudeWorkplace({ "a.txt": "a\n" });
        place.configure({
            providers: {
                odd: {
                    baseURL: "http://127.0.0.1:9/v1",
                    models: [{ id: EVIL, contextTokens: 1_000 }],
                },
            },
        });
        await place.serve([reply(text("Done."))]);
        await place.run(["allowlist", "add", `echo ${EVIL}`]);
        await place.run(["-p", `First ${EVIL} words`]);
    });
    afterEach(async () => {
        await terminal?.close();
        await place.remove();
    });

    async function printed(...args: readonly string[]): Promise<string> {
        terminal = openTerminal({
            command: process.execPath,
            args: [PROGRAM, ...args],
            cwd: place.repository,
            env: place.environment({ NORTH_DISABLE_NOTIFY: "1" }),
            columns: 200,
            rows: 50,
        });
        await terminal.exit();
        return terminal.raw();
    }

    it("No command prints them as they are, and each says what they hold", async () => {
        const [id = ""] = place.conversationIds();
        const commands = [
            ["conversations"],
            ["conversations", "show", id],
            ["conversations", "export", id],
            ["conversations", "export", EVIL],
            ["models"],
            ["tools"],
            ["costs"],
            ["costs", "--by", "project"],
            ["allowlist"],
            ["allowlist", "remove", `no ${EVIL}`],
            ["doctor"],
            ["mcp"],
            [`${EVIL}`],
        ];
        const shown: string[] = [];
        for (const args of commands) {
            const output = await printed(...args);
            // What was said is prose, in which blanks of other kinds are not spelled out.
            const isProse = args[1] === "show";
            expect(output, args.join(" ")).not.to.match(isProse ? CONTROL : RAW);
            if (output.includes("\\u{3164}")) shown.push(args.join(" "));
        }
        expect(shown).to.include.members(["conversations", "models", "allowlist"]);
    });

    it("No slash command prints them as they are", async () => {
        terminal = openTerminal({
            command: process.execPath,
            args: [PROGRAM],
            cwd: place.repository,
            env: place.environment({}),
            columns: 120,
            rows: 50,
        });
        await terminal.waitFor(IDLE);
        const commands = [
            "/allowlist",
            "/auto",
            "/memory",
            "/context",
            "/usage",
            "/costs",
            "/help",
        ];
        for (const command of [
            `/memory add ${EVIL.replace(/[\u0000-\u001f\u009b]/g, "")}`,
            ...commands,
        ]) {
            terminal.paste(command);
            terminal.press("enter");
            await terminal.waitFor(IDLE);
        }
        await terminal.waitUntil(
            () => terminal!.transcript().includes("\\u{3164}"),
            "what is hidden"
        );
        const fromNorth = terminal.raw().replaceAll(/\u001b\]0;[^\u0007]*\u0007/g, "");
        expect(fromNorth).not.to.match(CONTROL);
    });

    it("Print mode prints none of them as they are, whoever they come from", async () => {
        const name = EVIL.replaceAll("/", "");
        fs.mkdirSync(place.place(".cursor/rules"), { recursive: true });
        fs.symlinkSync("/dev/null", place.place(`.cursor/rules/${name}.mdc`));
        const call = toolUse("call_1", "edit_create_file", { path: `${name}.txt`, content: "" });
        await place.serve([
            failure(529, "overloaded_error", EVIL, { "retry-after": "0" }),
            reply(call),
            reply(text("Done.")),
            failure(400, "invalid_request_error", EVIL),
        ]);
        const first = await place.run(["-p", "Hello"]);
        const last = await place.run(["-p", "Hello"]);
        for (const [{ stderr }, said] of [
            [first, "is not sent to the model"],
            [first, "Trying again in"],
            [first, "Denied: "],
            [last, "evil"],
        ] as const) {
            expect(stderr).to.contain(said).and.contain("\\u{3164}").and.not.match(RAW);
        }
    });
});
