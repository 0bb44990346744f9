import { mock } from "node:test";
import { setImmediate } from "node:timers/promises";
import { AgentContext } from "@agentclientprotocol/sdk";
import { expect } from "chai";
import { editorFiles } from "../../src/acp/editor-client.js";

describe("The files of an editor", () => {
    it("An editor that never answers a save ends the edit after a minute", async () => {
        const silent: AgentContext = Object.create(AgentContext.prototype, {
            request: { value: () => new Promise(() => {}) },
        });
        const paths = { sessionId: "s", toEditor: (path: string) => path };
        const offered = { fs: { readTextFile: true, writeTextFile: true } };
        const files = editorFiles(silent, offered, paths);
        mock.timers.enable({ apis: ["setTimeout"] });
        try {
            let code: unknown;
            files?.write?.("/p/a.txt", "a").catch((error: unknown) => {
                code = error instanceof Error && "code" in error && error.code;
            });
            mock.timers.tick(59_000);
            await setImmediate();
            expect(code).to.equal(undefined);
            mock.timers.tick(1_000);
            await setImmediate();
            await setImmediate();
            expect(code).to.equal("editor-silent");
        } finally {
            mock.timers.reset();
        }
    });
});
