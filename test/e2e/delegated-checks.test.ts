import { expect } from "chai";
import { ClaudeWorkplace } from "../helpers/claude-workplace.js";
import { reply, text, toolUse } from "../helpers/vendors/messages-server.js";
import { resultsIn } from "./requests.js";

/** Fails for a second file whose first is missing, as a type check does for an import. */
const CHECK = `sleep 1
for f in {files}; do
    case $f in *2.txt) test -e "\${f%2.txt}1.txt" || { echo "$f:1: lacks its first"; exit 1; } ;; esac
done`;

describe("Checks of what sub-agents write", () => {
    let place: ClaudeWorkplace;
    afterEach(() => place.remove());

    it("A check sees the draft of the sub-agent it judges, however many work", async () => {
        place = new ClaudeWorkplace({ "a.txt": "one\n" });
        place.configure({ containment: "auto", checks: [{ run: CHECK, refuse: true }] });
        const create = (name: string) =>
            toolUse(name, "edit_create_file", { path: `${name}.txt`, content: `${name}\n` });
        const tasks = ["x", "y", "z"].map((task) => ({ task: `task ${task}` }));
        const seen: string[] = [];
        await place.serve(({ body }) => {
            const results = resultsIn(body);
            const done = Object.keys(results).length;
            if (!JSON.stringify(body.system).includes("<sub_agent>")) {
                return reply(done > 0 ? text("Done.") : toolUse("d1", "delegate", { tasks }));
            }
            seen.push(JSON.stringify(results));
            const name = /task ([xyz])/.exec(JSON.stringify(body.messages))?.[1] ?? "";
            return reply(done < 2 ? create(`${name}${done + 1}`) : text("Done."));
        });
        const args = ["--contain", "auto", "--accept-edits", "--model", "sonnet"];
        const { stderr } = await place.run(["-p", "Work", ...args]);
        expect(seen.join("\n")).not.to.contain("refused-by-check");
        expect(stderr).not.to.contain("was ignored");
        const files = Object.keys(place.files());
        expect(files).to.include.members(["x1.txt", "x2.txt", "y2.txt", "z2.txt"]);
    });
});
