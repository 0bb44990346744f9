import { expect } from "chai";
import { runTask } from "../../../src/host/tasks/run-task.js";

describe("runTask", () => {
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
});
