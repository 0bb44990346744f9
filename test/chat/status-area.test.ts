import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "chai";
import type { StatusMarks } from "../../src/chat/render/status-line.js";
import { StatusArea } from "../../src/chat/status-area.js";
import { createTheme } from "../../src/chat/terminal/theme.js";
import type { Session } from "../../src/core/session.js";

describe("StatusArea", () => {
    it("A stale status that arrives late does not replace a newer one", async () => {
        const answers: ((marks: StatusMarks) => void)[] = [];
        const approvals = {
            automaticThisRun: () => ({ editsAutoAccept: false, shellAutoApprove: false }),
            automatic: async () => ({ editsAutoAccept: false, shellAutoApprove: false }),
        };
        const session = {
            status: () => ({
                ...{ projectName: "north", modelName: "Sonnet", thinking: "off", mode: "agent" },
                ...{ contextTokens: 0, contextLimit: 1, sessionCostUsd: 0 },
                ...{ unpricedRequests: 0, allTime: { costUsd: 0, unpricedRequests: 0 } },
            }),
            services: { permissions: { approvals }, shell: { jobs: { list: () => [] } } },
        } as unknown as Session;
        const view = { status: [] as readonly string[], refresh: () => {}, print: () => {} };
        const statusMarks = () => new Promise<StatusMarks>((resolve) => answers.push(resolve));
        const area = new StatusArea({ session, statusMarks }, view, createTheme(0));
        area.show();
        area.show();
        await sleep(1);
        answers[1]?.({ own: "newer" });
        await sleep(1);
        answers[0]?.({ own: "older" });
        await sleep(1);
        expect(view.status[0]).to.equal("newer");
    });
});
