import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { expect } from "chai";
import { runTask } from "../../../src/host/tasks/run-task.js";
import { temporaryFolder } from "../../storage/temporary-folder.js";

describe("runTask", () => {
    const folder = temporaryFolder();

    it("A process that the system does not start is a crash of that task alone", async () => {
        const { execPath } = process;
        process.execPath = "/nonexistent/node";
        try {
            const { signal } = new AbortController();
            const place = { program: ".", folder: ".", environment: process.env, signal };
            const end = await runTask({ prompt: "Work", flags: {} }, place);
            expect(end).to.have.property("kind", "crashed");
            expect(end).to.have.nested.property("error.message").that.contains("ENOENT");
        } finally {
            process.execPath = execPath;
        }
    });

    it("A crash names its error in one line, not the stack, and how to resume", async () => {
        const program = folder();
        const script = `
            const stack = " 1: 0xb78db3 node::OOMErrorHandler()\\n".repeat(50);
            process.stderr.write("A notice.\\nFATAL ERROR: Reached heap limit\\n" + stack, () =>
                process.kill(process.pid, "SIGKILL"));`;
        await mkdir(path.join(program, "bin"));
        await writeFile(path.join(program, "bin", "run.js"), script);
        const { signal } = new AbortController();
        const place = { program, folder: ".", environment: process.env, signal };
        const end = await runTask({ prompt: "Work", flags: {} }, place);
        expect(end).to.have.nested.property(
            "error.message",
            "The task's process ended without a result (SIGKILL): FATAL ERROR: Reached heap limit."
        );
        expect(end)
            .to.have.nested.property("error.nextSteps")
            .that.deep.equals(["Run the same command again: it resumes the task."]);
    });
});
