import { expect } from "chai";
import { SupervisedRun } from "../../../../src/shell/containment/linux/supervised-run.js";

/** Reports a command that ended, answers the first question, and is gone. */
const DIES_EARLY = String.raw`
printf '\0ready\0\0' >&3; read -r -d '' <&4
printf '\0exited\x000\0counters\0\0' >&3
read -r -d '' <&4; printf '1\0' >&3
`;

describe("SupervisedRun", () => {
    it("What a command deleted is not taken for kept when its supervisor is killed", async () => {
        const command = ["bash", "-c", DIES_EARLY];
        const run = new SupervisedRun({ base: "/", command, outputs: [] });
        expect(await run.problem()).to.equal(undefined);
        run.begin();
        expect(await run.exit()).to.deep.equal({ exitCode: 0, counters: "counters" });
        const asked = run.areThere([Buffer.from("a"), Buffer.from("b")]);
        const error = await asked.catch((reason: unknown) => reason);
        expect(error).to.have.property("code", "containment-failed");
        await run.stop();
    });
});
