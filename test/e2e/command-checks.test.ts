import { createHash } from "node:crypto";
import { expect } from "chai";
import { ClaudeWorkplace } from "../helpers/claude-workplace.js";
import { reply, text, toolUse } from "../helpers/vendors/messages-server.js";
import { describeContained } from "../shell/containment/contained.js";
import { resultsIn } from "./requests.js";

/** Says which lines of the files hold `bad`, as linters do, and whether the file is as it is on disk. */
const LINT = `grep -n bad {files} /dev/null | sed 's/$/ is bad/' ; ! grep -q bad {files}`;

describeContained("Checks by commands in the built program", () => {
    let place: ClaudeWorkplace;
    beforeEach(() => {
        place = new ClaudeWorkplace({ "a.txt": "good\n", "b.md": "good\n" }).reusingProcess();
    });
    afterEach(() => place.remove());

    /** The results of edits that write these contents, one after the other. */
    async function edited(...edits: readonly (readonly [path: string, content: string])[]) {
        const calls = edits.map(([path, fresh], index) =>
            reply(
                toolUse(`call_${index}`, "edit_replace_exact", { path, old: "good", new: fresh }),
                toolUse(`read_${index}`, "read_file", { path })
            )
        );
        // The first contained command may take longer than a review waits for a check.
        const first = reply(toolUse("first", "shell_run", { command: "true" }));
        await place.serve([first, ...calls, reply(text("Done."))]);
        const words = ["-p", "Go on", "--accept-edits", "--model", "sonnet"];
        const { code, stderr } = await place.run(words);
        expect(code, stderr).to.equal(0);
        return { results: resultsIn(place.server.requests.at(-1)?.body), stderr };
    }

    const findings = (data: unknown) =>
        (data as { findings?: readonly { path: string; line: number; text: string }[] }).findings;

    it("A configured check finds faults in the proposed bytes of files that its glob names", async () => {
        place.configure({ containment: "auto", checks: [{ run: LINT, files: "*.txt" }] });
        const { results } = await edited(["a.txt", "fine\nbad"], ["b.md", "bad"]);
        const [found, ...others] = findings(results.call_0?.data) ?? [];
        expect(found).to.include({ path: "a.txt", line: 2 });
        expect(found?.text).to.contain("bad is bad");
        expect(others).to.deep.equal([]);
        expect(findings(results.call_1?.data)).to.equal(undefined);
        expect(place.files()["a.txt"]).to.equal("fine\nbad\n");
    });

    it("What a check found before the edit is not repeated, wherever the edit moved it", async () => {
        const check = { run: LINT, files: "*.txt", refuse: true };
        place.configure({ containment: "auto", checks: [check] });
        place.write("a.txt", "an old bad line\ngood\n");
        place.write("other.txt", "bad\n");
        const { results } = await edited(["a.txt", "fine"]);
        expect(results.call_0?.ok, JSON.stringify(results.call_0)).to.equal(true);
        const moved = { path: "a.txt", line: 1, content: "one more" };
        const worse = { path: "a.txt", old: "fine", new: "fine and bad" };
        await place.serve([
            reply(toolUse("moved", "edit_insert_at_line", moved)),
            reply(toolUse("worse", "edit_replace_exact", worse)),
            reply(toolUse("created", "edit_create_file", { path: "c.txt", content: "bad\n" })),
            reply(text("Done.")),
        ]);
        await place.run(["-p", "Go on", "--accept-edits", "--model", "sonnet"]);
        const ended = resultsIn(place.server.requests.at(-1)?.body);
        expect(ended.moved?.ok, JSON.stringify(ended.moved)).to.equal(true);
        expect(ended.worse?.error?.message)
            .to.contain("a.txt:3: error:")
            .and.not.to.contain("a.txt:2");
        expect(ended.created?.error?.message).to.contain("c.txt:1: error:");
        expect(place.files()["a.txt"]).to.equal("one more\nan old bad line\nfine\n");
    });

    it("A check that refuses prevents any write, and the model learns why", async () => {
        const slow = `sleep 2.5; ${LINT}`;
        place.configure({ containment: "auto", checks: [{ run: slow, refuse: true }] });
        const { results } = await edited(["a.txt", "bad"]);
        expect(results.call_0?.error?.code).to.equal("refused-by-check");
        expect(results.call_0?.error?.message).to.contain("a.txt:1: error:");
        expect(place.files()["a.txt"]).to.equal("good\n");
    });

    it("What a check prints while it exits with 0 is a warning, and refuses nothing", async () => {
        const run = "grep -Hn bad {files}; true";
        place.configure({ containment: "auto", checks: [{ run, files: "*.txt", refuse: true }] });
        const { results } = await edited(["a.txt", "fine\nbad"]);
        const found = { path: "a.txt", line: 2, severity: "warning", text: "bad" };
        expect(findings(results.call_0?.data)).to.deep.equal([found]);
        expect(place.files()["a.txt"]).to.equal("fine\nbad\n");
    });

    it("What is found after two seconds comes with the next result, and names the version", async () => {
        place.configure({ containment: "auto", checks: [{ run: `sleep 4; ${LINT}` }] });
        place.write("a.txt", "old bad\n");
        const edit = { path: "a.txt", line: 1, content: "bad" };
        const told = () => JSON.stringify(place.server.requests.at(-1)?.body);
        let calls = 0;
        await place.serve(() => {
            calls += 1;
            if (calls === 1) return reply(toolUse("call_0", "edit_insert_at_line", edit));
            if (told().includes("in version") || calls === 30) return reply(text("Done."));
            const command = `sleep 1; echo ${calls}`;
            return reply(toolUse(`wait_${calls}`, "shell_run", { command }));
        });
        const { stderr } = await place.run(["-p", "Go on", "--accept-edits", "--model", "sonnet"]);
        const { call_0: edited, ...waited } = resultsIn(place.server.requests.at(-1)?.body);
        expect(findings(edited?.data), stderr).to.equal(undefined);
        const version = createHash("sha256").update("bad\nold bad\n").digest("hex").slice(0, 7);
        expect(JSON.stringify(waited)).to.contain(`in version ${version}`);
        expect(JSON.stringify(waited)).to.contain("a.txt:1: error:").and.not.to.contain("a.txt:2");
    });

    it("A rule's check does nothing until /trust allows it, contained only, and a change asks again", async () => {
        place.configure({ containment: "auto" });
        const rule = ".cursor/rules/words.mdc";
        const write = (check: string) =>
            place.write(rule, `---\nglobs: "*.txt"\ncheck: "${check}"\n---\nNo bad words.\n`);
        const told = async (old: string, content: string, waited?: string) => {
            const input = { path: "a.txt", old, new: content };
            let calls = 0;
            await place.serve(({ body }) => {
                calls += 1;
                if (calls === 1) return reply(toolUse("edit", "edit_replace_exact", input));
                const isTold = !waited || JSON.stringify(body).includes(waited);
                if (isTold || calls === 30) return reply(text("Done."));
                // On a slow machine the check ends only beside a later call.
                return reply(toolUse(`wait_${calls}`, "shell_run", { command: "sleep 1" }));
            });
            const words = ["-p", "Go on", "--accept-edits", "--model", "sonnet"];
            const { stderr } = await place.run(words);
            return `${stderr}\n${JSON.stringify(place.server.requests.at(-1)?.body)}`;
        };
        const north = async (...args: readonly string[]) =>
            JSON.parse((await place.run([...args, "--json"])).stdout);
        write(LINT);
        const before = await told("good", "good bad");
        expect(before).to.contain(
            "brings 1 permission, inactive until you allow it with `north trust`"
        );
        expect(before).not.to.contain("bad is bad");
        const [grant, ...others] = await north("trust");
        expect(grant).to.include({ path: rule, text: `check edits with \`${LINT}\`, contained` });
        expect(others).to.deep.equal([]);
        await north("trust", "allow", grant.id);
        expect(await north("trust")).to.deep.equal([]);
        expect(await told("good bad", "worse and bad", "bad is bad")).to.contain("bad is bad");
        expect(JSON.stringify(await north("allowlist"))).not.to.contain("grep");
        write(`${LINT} # changed`);
        expect(await told("worse and bad", "still bad")).not.to.contain("bad is bad");
        expect(await north("trust")).to.have.lengthOf(1);
    });

    it("A check that needs the network does not count, and says so", async () => {
        const run = "exec 3<>/dev/tcp/192.0.2.1/9";
        // A review waits for what may refuse, however slow the machine is.
        place.configure({ containment: "auto", checks: [{ run, refuse: true }] });
        const { results, stderr } = await edited(["a.txt", "fine"]);
        expect(results.call_0?.ok).to.equal(true);
        expect(stderr).to.contain("failed and was ignored: it cannot work contained (");
    });
});
