import * as fs from "node:fs";
import path from "node:path";
import { expect } from "chai";
import { ClaudeWorkplace } from "../helpers/claude-workplace.js";
import { reply, text, toolUse } from "../helpers/vendors/messages-server.js";

describe("Hooks of a session, in the program", () => {
    let place: ClaudeWorkplace;

    beforeEach(() => {
        place = new ClaudeWorkplace({ "a.txt": "alpha\n" });
    });
    afterEach(() => place.remove());

    /** A hook for each event that logs its name and one field, then runs a script. */
    function configure(scripts: Readonly<Record<string, string>>): void {
        const log = path.join(place.home, "events");
        const field = "source reason trigger message tool_name".split(" ");
        const hooks = Object.fromEntries(
            Object.entries(scripts).map(([event, script]) => {
                const program = `node -e 'const e=JSON.parse(require("fs").readFileSync(0));require("fs").appendFileSync(process.argv[1],e.hook_event_name+" "+${JSON.stringify(field)}.map(f=>e[f]||"").join("")+"\\n")' ${log}`;
                const command = `${program}; ${script}`;
                return [event, [{ hooks: [{ type: "command", command }] }]];
            })
        );
        place.configure({ hooks });
    }

    const events = () => fs.readFileSync(path.join(place.home, "events"), "utf8");

    it("SessionStart adds what it prints to the first message, and SessionEnd comes last", async () => {
        configure({ SessionStart: "echo The build is red.", SessionEnd: "true", Stop: "true" });
        await place.serve([reply(text("First.")), reply(text("Second."))]);
        const one = await place.run(["-p", "Hello"]);
        expect(one.stderr).to.equal("");
        expect(JSON.stringify(place.server.requests[0]?.body.messages)).to.contain(
            "The build is red."
        );
        expect(events()).to.equal("SessionStart startup\nStop \nSessionEnd other\n");
        await place.run(["-p", "-c", "Again"]);
        expect(events().split("\n").slice(3)).to.deep.equal([
            "SessionStart resume",
            "Stop ",
            "SessionEnd other",
            "",
        ]);
    });

    it("A question to the user triggers Notification, and PermissionRequest refuses in their place", async () => {
        configure({
            PermissionRequest: "echo Never on a Friday >&2; exit 2",
            Notification: "true",
        });
        await place.serve([
            reply(toolUse("c1", "shell_run", { command: "touch ran" })),
            reply(text("Refused.")),
        ]);
        const terminal = place.open();
        await terminal.waitFor("❯");
        terminal.type("Go\r");
        await terminal.waitFor("Refused.");
        terminal.type("/quit\r");
        await terminal.exit();
        expect(fs.existsSync(place.place("ran"))).to.equal(false);
        expect(events()).to.equal("PermissionRequest Bash\n");
        const screen = terminal.transcript().replace(/\s+/g, " ");
        expect(screen).to.match(/Denied touch ran · PermissionRequest hook .*: Never on a Friday/);
        expect(JSON.stringify(place.server.requests[1]?.body.messages)).to.contain(
            "Never on a Friday"
        );
    });

    it("A hook that could not run is reported at each call until it is fixed", async () => {
        place.configure({
            hooks: { PreToolUse: [{ hooks: [{ type: "command", command: "/missing/guard" }] }] },
        });
        await place.serve([
            reply(toolUse("c1", "read_file", { path: "a.txt" })),
            reply(toolUse("c2", "read_file", { path: "a.txt" })),
            reply(text("Done.")),
        ]);
        const { stderr } = await place.run(["-p", "Read it twice"]);
        expect(stderr.match(/PreToolUse hook \/missing\/guard: It failed/g)).to.have.length(2);
    });
});
