import { spawnSync } from "node:child_process";
import * as fs from "node:fs";
import path from "node:path";
import { expect } from "chai";
import { ClaudeWorkplace } from "../helpers/claude-workplace.js";
import { reply, text, toolUse } from "../helpers/vendors/messages-server.js";

const CALLS = "write,pwrite64,fsync,fdatasync,rename,renameat,renameat2";
// A kernel may forbid to trace.
const canTrace = spawnSync("strace", ["-f", "true"]).status === 0;

describe("Order of syncs", () => {
    let place: ClaudeWorkplace;

    beforeEach(() => {
        place = new ClaudeWorkplace({ "a.txt": "one\n" });
    });
    afterEach(() => place.remove());

    /** What a run of print mode asks of the disk, in order. */
    async function traced(...args: string[]): Promise<string[]> {
        const trace = path.join(place.folder, "trace");
        const under = ["strace", "-f", "-y", "-s", "200", "-e", `trace=${CALLS}`, "-o", trace];
        const { code, stderr } = await place.run(args, { under });
        expect({ code, stderr }).to.deep.equal({ code: 0, stderr: "" });
        return fs.readFileSync(trace, "utf8").split("\n");
    }

    /** The first line from `start` on that has all these texts. */
    function find(lines: readonly string[], start: number, ...texts: string[]): number {
        const found = lines.findIndex(
            (line, index) => index >= start && texts.every((each) => line.includes(each))
        );
        expect(found, texts.join(" ")).to.be.greaterThan(-1);
        return found;
    }

    if (!canTrace) return;

    it("The log and what undoes an edit are on the disk before its file is replaced", async () => {
        const input = { path: "a.txt", old: "one", new: "two" };
        await place.serve([
            reply(toolUse("edit_1", "edit_replace_exact", input)),
            reply(text("done")),
        ]);
        const lines = await traced("-p", "hi", "--accept-edits");
        const begun = find(lines, 0, "write(", ".jsonl", "change_begun");
        const synced = find(
            lines,
            begun,
            "sync(",
            `conversations/${place.conversationIds()[0]}.jsonl`
        );
        const replaced = find(lines, 0, "rename", "a.txt");
        expect(synced).to.be.lessThan(replaced);
        expect(find(lines, 0, "sync(", `${place.data}/objects>`)).to.be.lessThan(replaced);
        expect(find(lines, 0, "sync(", `${place.data}/conversations>`)).to.be.lessThan(replaced);
    });

    it("Costs are on the disk before the summary that counts them", async () => {
        await place.serve([reply(text("done"))]);
        const lines = await traced("-p", "hi");
        const counted = find(lines, 0, "write(", "costs.jsonl");
        const synced = find(lines, counted, "sync(", "costs.jsonl");
        expect(synced).to.be.lessThan(find(lines, 0, "rename", "costs.json"));
    });
});
