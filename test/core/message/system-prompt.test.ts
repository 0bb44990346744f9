import { expect } from "chai";
import { shellRun } from "../../../src/builtin/tools/shell-run.js";
import { SYSTEM_PROMPT } from "../../../src/core/message/system-prompt.js";

describe("SYSTEM_PROMPT", () => {
    it("The prompt sends servers to background jobs, which North lists and stops, as shell_run does", () => {
        const [, advice = ""] = /<long_running_commands>\n(.*)\n<\/long/s.exec(SYSTEM_PROMPT) ?? [];
        expect(advice).to.contain("shell_run's background").and.not.to.contain("in a file");
        expect(shellRun.inputSchema).to.have.nested.property("properties.background");
        expect(shellRun.description).to.contain("Run servers and watchers with background");
    });
});
