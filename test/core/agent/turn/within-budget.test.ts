import { expect } from "chai";
import type { ApprovalRequest, Decision } from "../../../../src/core/approval/approver.js";
import type { Budget, BudgetVerdict } from "../../../../src/core/costs/budget.js";
import { isExpectedError } from "../../../../src/base/north-error.js";
import { calls, says, ScriptedModel } from "../../../helpers/scripted-model.js";
import { drain, turnHarness } from "../../../helpers/turn.js";

const UNKNOWN_TOOL = calls(["call_1", "no_such_tool", {}]);

/** A budget that says these things in turn, then nothing more. */
function saying(...verdicts: BudgetVerdict[]) {
    const told = { checks: 0, wentOn: 0 };
    const budget: Budget = {
        check: async () => {
            told.checks += 1;
            return verdicts.shift() ?? { kind: "within" };
        },
    };
    const spent: BudgetVerdict = {
        kind: "spent",
        sentence: "The budget of $1.00 for a day is spent.",
        nextSteps: ["Raise it."],
        raiseLimit: () => void (told.wentOn += 1),
    };
    return { budget, told, verdicts, spent };
}

function answering(decision: Decision) {
    const asked: ApprovalRequest[] = [];
    const decide = async (request: ApprovalRequest) => {
        asked.push(request);
        return decision;
    };
    return { approver: { decide }, asked };
}

describe("A turn's budget", () => {
    it("The budget is checked before every request", async () => {
        const model = new ScriptedModel([UNKNOWN_TOOL, UNKNOWN_TOOL, says("Done.")]);
        const { budget, told } = saying();
        const { outcome } = await drain(turnHarness(model, [], { budget }).turn);
        expect(outcome.stopReason).to.equal("end");
        expect(told.checks).to.equal(3);
    });

    it("A turn over budget ends as max-cost when nobody can be asked, and keeps its results", async () => {
        const model = new ScriptedModel([UNKNOWN_TOOL]);
        const { budget, verdicts, spent } = saying({ kind: "within" });
        verdicts.push(spent);
        const { turn, conversation } = turnHarness(model, [], { budget });
        const { outcome } = await drain(turn);
        expect(outcome).to.deep.include({ stopReason: "max-cost", requests: 1 });
        const { error } = outcome;
        if (!isExpectedError(error)) throw new Error("There is no reason.");
        expect(error).to.deep.include({ code: "budget-spent", nextSteps: ["Raise it."] });
        expect(error.message).to.equal("The budget of $1.00 for a day is spent.");
        expect(conversation.messages.map(({ role }) => role)).to.deep.equal([
            "user",
            "assistant",
            "tool",
        ]);
    });

    it("A turn over budget continues with the user's consent, which is not remembered", async () => {
        const model = new ScriptedModel([says("Done.")]);
        const { budget, verdicts, spent, told } = saying();
        verdicts.push(spent);
        const { approver, asked } = answering({ kind: "approve" });
        const { turn, granted } = turnHarness(model, [], { budget, approver });
        const { outcome } = await drain(turn);
        expect(outcome.stopReason).to.equal("end");
        expect(asked).to.deep.equal([
            {
                kind: "ask",
                callId: "",
                question: {
                    sentence: "The budget of $1.00 for a day is spent. Continue?",
                    key: "budget",
                },
                isOnce: true,
            },
        ]);
        expect(told.wentOn).to.equal(1);
        expect(granted.allowedKeys).to.deep.equal([]);
    });

    it("Nothing is sent when the user declines to exceed the budget", async () => {
        const model = new ScriptedModel([]);
        const { budget, verdicts, spent, told } = saying();
        verdicts.push(spent);
        const { approver } = answering({ kind: "deny" });
        const { outcome } = await drain(turnHarness(model, [], { budget, approver }).turn);
        expect(outcome).to.deep.include({ stopReason: "max-cost", requests: 0 });
        expect(told.wentOn).to.equal(0);
        expect(model.requests).to.deep.equal([]);
    });

    it("A budget warning reaches the user", async () => {
        const model = new ScriptedModel([says("Done.")]);
        const { budget } = saying({ kind: "within", notice: "A price is unknown." });
        const { events } = await drain(turnHarness(model, [], { budget }).turn);
        expect(events).to.deep.include({ type: "notice", text: "A price is unknown." });
    });
});
