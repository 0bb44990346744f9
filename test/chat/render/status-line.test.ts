import { expect } from "chai";

import { statusLine, statusLines } from "../../../src/chat/render/status-line.js";
import { createTheme } from "../../../src/chat/terminal/theme.js";
import type { SessionStatus } from "../../../src/core/session.js";

const status: SessionStatus = {
    projectName: "north",
    modelName: "Claude Sonnet",
    thinking: "off",
    mode: "agent",
    contextTokens: 42_500,
    contextLimit: 200_000,
    sessionCostUsd: 0.12,
    unpricedRequests: 0,
    allTime: { costUsd: 3.4, unpricedRequests: 0 },
};

describe("statusLine", () => {
    it("The status line names project, model, mode, context and cost", () => {
        expect(statusLine(status, createTheme(0))).to.equal(
            "north · Claude Sonnet · agent · ● 42.5K (21%) · $0.12 / $3.40"
        );
    });

    it("The status line names the branch, what is automatic, and that commands run contained", () => {
        const marks = { branch: "main", automatic: ["edits"], tier: "contained" } as const;
        expect(statusLine(status, createTheme(0), marks)).to.equal(
            "north main · Claude Sonnet · agent · auto: edits · contained · ● 42.5K (21%) · $0.12 / $3.40"
        );
    });

    it("The status line says that the machine is the container", () => {
        const line = statusLine(status, createTheme(0), { tier: "external" });
        expect(line).to.include(" · agent · external · ");
    });

    it("A narrow status line drops the all-time cost, then the branch, then project and model", () => {
        const marks = { branch: "main", tier: "contained" } as const;
        const lines = statusLines(status, createTheme(0), marks);
        expect(lines).to.deep.equal([
            "north main · Claude Sonnet · agent · contained · ● 42.5K (21%) · $0.12 / $3.40",
            "north main · Claude Sonnet · agent · contained · ● 42.5K (21%) · $0.12",
            "north · Claude Sonnet · agent · contained · ● 42.5K (21%) · $0.12",
            "agent · contained · ● 42.5K (21%) · $0.12",
            "agent · ● 42.5K (21%) · $0.12",
        ]);
    });

    it("A custom status line keeps its colours and no other control sequences", () => {
        const own = "\u001b[32mgreen\u001b[0m \u001b]52;c;aGk=\u0007\u001b[2Jx\u202e";
        expect(statusLine(status, createTheme(1), { own })).to.equal(
            "\u001b[32mgreen\u001b[0m x\u001b[0m"
        );
    });

    it("The status line says that the model thinks, with the chosen effort", () => {
        const line = (thinking: string) => statusLine({ ...status, thinking }, createTheme(0));
        expect(line("on")).to.contain(" · Claude Sonnet thinking · ");
        expect(line("high")).to.contain(" · Claude Sonnet thinking high · ");
    });

    it("The status line says when some costs are unknown", () => {
        const allTime = { costUsd: 3.4, unpricedRequests: 2 };
        const before = statusLine({ ...status, allTime }, createTheme(0));
        expect(before).to.contain("$0.12 / $3.40 + unknown");
        const now = statusLine({ ...status, allTime, unpricedRequests: 2 }, createTheme(0));
        expect(now).to.contain("$0.12 + unknown / $3.40 + unknown");
    });

    it("Context usage is green below 60%, yellow up to 85% and red above", () => {
        const dot = (percent: number): string => {
            const line = statusLine({ ...status, contextTokens: percent * 2000 }, createTheme(1));

            return /\u001b\[(\d+)m●/.exec(line)?.[1] ?? "";
        };
        expect([59, 60, 85, 86].map(dot)).to.deep.equal(["32", "33", "33", "31"]);
    });

    it("The status line says how many jobs run", () => {
        const line = (runningJobs: number) => statusLine(status, createTheme(0), { runningJobs });
        expect(line(1)).to.contain(" · agent · 1 job · ");
        expect(line(2)).to.contain(" · agent · 2 jobs · ");
    });
});
